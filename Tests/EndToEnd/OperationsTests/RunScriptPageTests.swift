import TestSupport
import Testing

@testable import ServerSupport

@Suite("The example page of deploy/run")
struct RunScriptPageTests {
    @Test(
        "It is served with a policy that permits its own scripts, and pages of CORS_ORIGINS are those of the environment"
    )
    func page() throws {
        let server = try DevelopmentServer(environment: [
            "CORS_ORIGINS": "https://app.example.com, http://localhost:3000"
        ])
        let origin = "https://localhost:\(server.port)"
        #expect(server.page.contains(origin + "/example/"))
        let page = try server.ask(origin + "/example/")
        #expect(page.status == 200)
        for (name, value) in [
            ("content-type", "text/html; charset=utf-8"), ("referrer-policy", "no-referrer"),
            ("x-frame-options", "DENY"),
            ("x-content-type-options", "nosniff"), ("cache-control", "no-cache"),
            (
                "content-security-policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
                    + "img-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
            ),
        ] {
            #expect(page.headers.filter { $0.name == name }.map(\.value) == [value], "\(name)")
        }
        let redirect = try server.ask(origin + "/example?code=x")
        #expect(redirect.status == 308 && redirect.header("location") == "/example/?code=x")
        #expect(try server.ask(origin + "/example/nothing").status == 404)
        for allowed in ["https://app.example.com", "http://localhost:3000"] {
            let library = try server.ask(origin + "/gatehouse.js", "-H", "Origin: " + allowed)
            #expect(library.header("content-type") == "text/javascript")
            #expect(library.header("access-control-allow-origin") == allowed)
        }
    }
}
