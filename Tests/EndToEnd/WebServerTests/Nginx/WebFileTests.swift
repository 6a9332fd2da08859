import Foundation
import TestSupport
import Testing

@testable import ServerSupport

@Suite("The library for pages")
struct WebFileTests {
    private static let server = Result {
        try ServerBehindNginx(
            values: CrossOrigin.setting,
            site: "server_name example.test; etag off; include snippets/gatehouse-site.conf;")
    }
    private let server: ServerBehindNginx

    init() throws { server = try Self.server.get() }

    private func ask(_ path: String, host: String = "localhost", _ headers: (String, String)...) throws -> TestResponse
    {
        var request = TestRequest.get(path)
        request.headers = [("Host", host)] + headers
        return try server.send(request)
    }

    @Test(
        "It is served with its type, and a browser keeps it for five minutes",
        arguments: ["gatehouse.js", "gatehouse.d.ts"], ["localhost", "example.test"])
    func served(_ name: String, _ host: String) throws {
        let answer = try ask("/" + name, host: host)
        #expect(answer.status == 200)
        let file = try String(contentsOfFile: Executable.root + "/deploy/web/" + name, encoding: .utf8)
        #expect(String(decoding: answer.body, as: UTF8.self) == file)
        for (header, value) in [
            ("content-type", "text/javascript"), ("cache-control", "max-age=300"),
            ("x-content-type-options", "nosniff"),
            ("vary", "Origin"),
        ] {
            #expect(answer.headers.filter { $0.name == header }.map(\.value) == [value], "\(header)")
        }
        expectUnreadable(answer)
        let tag = try #require(answer.header("etag"))
        let kept = try ask("/" + name, host: host, ("If-None-Match", tag), ("Origin", CrossOrigin.allowed))
        #expect(kept.status == 304)
        expectReadable(kept)
    }

    @Test("Pages of CORS_ORIGINS may load it as a module, and pages of other origins may not")
    func origins() throws {
        expectReadable(try ask("/gatehouse.js", ("Origin", CrossOrigin.allowed)))
        for origin in CrossOrigin.refused.compactMap(\.self) {
            let answer = try ask("/gatehouse.js", ("Origin", origin))
            #expect(answer.status == 200)
            expectUnreadable(answer)
        }
    }

    @Test("It is read only, and nothing else of its folder is served")
    func readOnly() throws {
        var request = TestRequest.post("/gatehouse.js", bearer: nil)
        let refused = try server.send(request)
        expectProblem(refused, 405, "method_not_allowed")
        #expect(refused.header("allow") == "GET, HEAD")
        #expect(refused.header("cache-control") == "no-store")
        request = .get("/gatehouse.js")
        request.method = "HEAD"
        #expect(try server.send(request).status == 200)
        for path in ["/gatehouse.js/", "/gatehouse", "/gatehouse.ts", "/example/", "/example/index.html"] {
            expectProblem(try server.send(.get(path)), 404, "not_found")
        }
    }

    @Test("Without WEB_FILES it is not served")
    func off() throws {
        let server = try ServerBehindNginx(values: ["WEB_FILES": ""])
        expectProblem(try server.send(.get("/gatehouse.js")), 404, "not_found")
    }

    @Test("A relative WEB_FILES is refused outside of a checkout")
    func relative() throws {
        let folder = try TemporaryFolder()
        try Shell.run(["cp", "-r", Executable.root + "/nginx", folder.file("nginx")])
        let outcome = try Shell.outcome(of: [
            "env", "NGINX_TEMPLATES=" + folder.file("nginx"), Executable.root + "/deploy/lib/render-nginx",
            folder.file("rendered"), Executable.root + "/nginx/local.values", "RESPONDER=unix:/nowhere.sock",
        ])
        #expect(outcome.status == 2)
        #expect(outcome.errorOutput.contains("WEB_FILES must be an absolute path"))
        #expect(!FileManager.default.fileExists(atPath: folder.file("rendered")))
    }
}
