import Foundation
import JSON
import TestSupport
import Testing

@Suite("Another FastCGI front")
struct OtherFrontTests {
    @Test(
        "serves the same login: lighttpd",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/sbin/lighttpd")))
    func lighttpd() throws {
        let house = try ServedHouse()
        let port = try FreePort.any()
        let configuration = """
            server.modules = ("mod_fastcgi")
            server.bind = "127.0.0.1"
            server.port = \(port)
            server.document-root = "\(house.folder.path)"
            fastcgi.server = ("/api/" => (("socket" => "\(house.socket)", "check-local" => "disable")))
            """
        let path = house.folder.file("lighttpd.conf")
        try configuration.write(toFile: path, atomically: true, encoding: .utf8)
        let front = try ChildProcess(
            ["/usr/sbin/lighttpd", "-D", "-f", path], environment: [:], log: house.folder.file("lighttpd.log"))
        defer { front.stop() }
        let site = "http://127.0.0.1:\(port)"
        #expect(Eventually.holds { (try? Shell.run(["curl", "-s", site])) != nil })
        let body = ["email": "l@example.com", "devSecret": .string(ServedHouse.devSecret)] as JSONObject
        let login = Answer(
            parsing: try Shell.run(
                ["curl", "-si", "-H", "Content-Type: application/json", "-d", "@-", site + "/api/auth/dev-login"],
                input: body.bytes))
        #expect(login.status == 200)
        let me = Answer(
            parsing: try Shell.run(
                ["curl", "-si", "-H", "Authorization: Bearer \(login.accessToken)", site + "/api/users/me"]))
        #expect(me.status == 200)
        #expect(me["email"]?.string == "l@example.com")
    }
}
