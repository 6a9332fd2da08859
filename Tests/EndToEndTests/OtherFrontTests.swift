import Foundation
import JSON
import TestSupport
import Testing

@Suite("A FastCGI front other than nginx")
struct OtherFrontTests {
    enum Front: String, CaseIterable {
        case lighttpd
        case apache2

        var program: String { "/usr/sbin/" + rawValue }

        /// Serves at a port what the responder at another port answers; the shortest configuration that does.
        func configuration(port: UInt16, responder: UInt16, folder: String) -> String {
            switch self {
            case .lighttpd:
                """
                server.modules = ("mod_fastcgi")
                server.bind = "127.0.0.1"
                server.port = \(port)
                server.document-root = "\(folder)"
                fastcgi.server = ("/api/" => (("host" => "127.0.0.1", "port" => \(responder), "check-local" => "disable")))
                """
            case .apache2:
                """
                ServerName localhost
                PidFile \(folder)/apache.pid
                Listen 127.0.0.1:\(port)
                LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
                LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
                LoadModule proxy_module /usr/lib/apache2/modules/mod_proxy.so
                LoadModule proxy_fcgi_module /usr/lib/apache2/modules/mod_proxy_fcgi.so
                ErrorLog \(folder)/apache-error.log
                DocumentRoot \(folder)
                User www-data
                Group www-data
                ProxyPass "/api/" "fcgi://127.0.0.1:\(responder)/api/" enablereuse=on
                <Location "/api/">
                    CGIPassAuth On
                </Location>
                """
            }
        }

        func command(_ file: String) -> [String] {
            self == .lighttpd ? [program, "-D", "-f", file] : [program, "-f", file, "-DFOREGROUND"]
        }
    }

    @Test("serves the same login", arguments: Front.allCases)
    func login(_ front: Front) throws {
        let folder = try TemporaryFolder()
        let (port, responder) = (try FreePort.any(), try FreePort.any())
        let variables = Settings.standard(folder: folder.path, keysURL: "http://127.0.0.1:1/keys")
            .merging(["LISTEN": "tcp:127.0.0.1:\(responder)"]) { _, new in new }
        let gatehouse = try ChildProcess(
            [Executable.gatehouse, "serve"], environment: variables, log: folder.file("gatehouse.log"))
        defer { gatehouse.stop() }
        let file = folder.file("front.conf")
        try front.configuration(port: port, responder: responder, folder: folder.path)
            .write(toFile: file, atomically: true, encoding: .utf8)
        let process = try ChildProcess(front.command(file), environment: [:], log: folder.file("front.log"))
        defer { process.stop() }
        let site = "http://127.0.0.1:\(port)/api"
        #expect(Eventually.holds { isServing(site) }, "\(process.log) \(gatehouse.log)")
        try signIn(at: site)
    }

    private func isServing(_ site: String) -> Bool {
        (try? Shell.run(["curl", "-si", site + "/users/me"])).map { Answer(parsing: $0).status == 401 } ?? false
    }

    private func signIn(at site: String) throws {
        let body: JSONObject = ["email": "l@example.com", "devSecret": .string(ServedHouse.devSecret)]
        let login = Answer(
            parsing: try Shell.run(
                ["curl", "-si", "-H", "Content-Type: application/json", "-d", "@-", site + "/auth/dev-login"],
                input: body.bytes))
        #expect(login.status == 200)
        let me = Answer(
            parsing: try Shell.run(
                ["curl", "-si", "-H", "Authorization: Bearer \(login.accessToken)", site + "/users/me"]))
        #expect(me.status == 200)
        #expect(me["email"]?.string == "l@example.com")
        // The responder sends no body with it, and the front waits for none.
        let head = Answer(
            parsing: try Shell.run(
                [
                    "curl", "-sI", "--max-time", "20", "-H", "Authorization: Bearer \(login.accessToken)",
                    site + "/users/me",
                ]))
        #expect(head.status == 200)
        #expect(head.body == [])
    }
}
