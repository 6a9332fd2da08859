import Foundation
import TestSupport
import Testing

@testable import ServerSupport

@Suite("The files of the page for administrators")
struct AdminPageFileTests {
    private static let server = Result {
        try ServerBehindNginx(
            values: ["ADMIN_PAGE": "on"], site: "server_name example.test; include snippets/gatehouse-site.conf;")
    }

    private func ask(_ path: String, host: String = "localhost") throws -> TestResponse {
        var request = TestRequest.get(path)
        request.headers = [("Host", host)]
        return try Self.server.get().send(request)
    }

    @Test(
        "Each is served with its type, and a browser runs nothing else",
        arguments: [
            ("", "text/html; charset=utf-8"), ("main.js", "text/javascript"), ("style.css", "text/css"),
            ("icon.svg", "image/svg+xml"),
        ], ["localhost", "example.test"])
    func served(_ file: (name: String, type: String), _ host: String) throws {
        let answer = try ask("/admin/" + file.name, host: host)
        #expect(answer.status == 200)
        let path = Executable.root + "/deploy/web/admin/" + (file.name.isEmpty ? "index.html" : file.name)
        #expect(String(decoding: answer.body, as: UTF8.self) == (try String(contentsOfFile: path, encoding: .utf8)))
        for (header, value) in [
            ("content-type", file.type), ("cache-control", "no-cache"), ("x-content-type-options", "nosniff"),
            ("x-frame-options", "DENY"), ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
        ] {
            #expect(answer.headers.filter { $0.name == header }.map(\.value) == [value], "\(header)")
        }
        let policy = answer.headers.filter { $0.name == "content-security-policy" }.map(\.value)
        #expect(policy.count == 1)
        let directives = Set(try #require(policy.first).split(separator: "; "))
        #expect(
            directives == [
                "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self'",
                "form-action 'none'", "frame-ancestors 'none'", "base-uri 'none'", "require-trusted-types-for 'script'",
            ])
    }

    @Test("It is read only, and nothing beside its files is served")
    func readOnly() throws {
        let refused = try Self.server.get().send(.post("/admin/main.js", bearer: nil))
        expectProblem(refused, 405, "method_not_allowed")
        #expect(refused.header("allow") == "GET, HEAD")
        for path in ["/admin/none.js", "/admin/../example/index.html", "/admin/%2e%2e/gatehouse.js/", "/admin/index"] {
            expectProblem(try ask(path), 404, "not_found")
        }
        let moved = try ask("/admin")
        #expect(moved.status == 308)
        #expect(moved.header("location") == "/admin/")
    }

    @Test("Without ADMIN_PAGE it is not served")
    func off() throws {
        let server = try ServerBehindNginx()
        for path in ["/admin", "/admin/", "/admin/main.js"] {
            expectProblem(try server.send(.get(path)), 404, "not_found")
        }
    }

    @Test(
        "A value that is no switch, and a page without its folder, are refused before a file is written",
        arguments: [
            (["ADMIN_PAGE=yes"], "ADMIN_PAGE is \"yes\""),
            (["ADMIN_PAGE=on", "WEB_FILES="], "ADMIN_PAGE=on needs WEB_FILES"),
        ])
    func refused(_ values: [String], _ fault: String) throws {
        let folder = try TemporaryFolder()
        let outcome = try Shell.outcome(
            of: [
                Executable.root + "/deploy/lib/render-nginx", folder.file("rendered"),
                Executable.root + "/nginx/local.values",
                "RESPONDER=unix:/nowhere.sock",
            ] + values)
        #expect(outcome.status == 2)
        #expect(outcome.errorOutput.contains(fault))
        #expect(!FileManager.default.fileExists(atPath: folder.file("rendered")))
    }

    /// A page that parsed text as HTML, or ran text, would run what a user has written.
    @Test("No file of the page writes HTML, and none is larger than a reader can see")
    func noHTML() throws {
        let folder = Executable.root + "/deploy/web/admin"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names.count > 10)
        let sinks =
            /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc|DOMParser|javascript:/
        for name in names {
            let text = try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
            #expect(text.firstMatch(of: sinks) == nil, "\(name)")
            #expect(text.split(separator: "\n").count <= 250, "\(name)")
        }
    }

    @Test(
        "gatehouse-nginx serves it if gatehouse.conf has ADMIN_API=on and nginx.values does not say otherwise",
        .enabled(if: NginxSandbox.obstacle == nil, NginxSandbox.reason))
    func followsTheAPI() throws {
        let outcome = try NginxSandbox().run(
            """
            set -x
            page=/etc/nginx/snippets/gatehouse-paths.conf
            gatehouse_nginx
            test "$(grep -c gatehouse-admin $page)" = 0
            for line in '#ADMIN_API=on' 'ADMIN_API=off' 'ADMIN_API=only' 'X_ADMIN_API=on'; do
                echo "$line" >/etc/gatehouse/gatehouse.conf
                gatehouse_nginx
                test "$(grep -c gatehouse-admin $page)" = 0
            done
            for line in ADMIN_API=on ' ADMIN_API = "on" '; do
                echo "$line" >/etc/gatehouse/gatehouse.conf
                gatehouse_nginx
                test "$(grep -c '^include snippets/gatehouse-admin.conf;' $page)" = 1
            done
            echo ADMIN_PAGE=off >>/etc/gatehouse/nginx.values
            gatehouse_nginx
            test "$(grep -c gatehouse-admin $page)" = 0
            """)
        #expect(outcome.status == 0, "\(outcome.errorOutput)")
    }
}
