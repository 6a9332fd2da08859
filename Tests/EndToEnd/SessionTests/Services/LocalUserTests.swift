import Foundation
import TestSupport
import Testing

@testable import ServerSupport

/// Processes that connect to Gatehouse's own socket, whose users the kernel tells.
@Suite(
    "Users of the machine that ask without a token", .enabled(if: geteuid() == 0, "only root can act as other users"))
struct LocalUserTests {
    /// `daemon`, which is in /etc/passwd, and a number without a name.
    private static let (named, numbered, other) = ("1", "54321", "33")

    /// - Returns: the status for each user.
    private func ask(_ server: ServerProcess, as users: [String], _ kind: String = "direct") throws -> [String] {
        // Other users must reach the socket.
        for (path, mode) in [(server.folder.path, 0o755), (server.socket, 0o666)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        let script = Executable.root + "/Tests/EndToEnd/Scripts/ask-socket.py"
        let output = try Shell.run(["/usr/bin/python3", script, server.socket, "/users/user_unknown", kind] + users)
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Root's web server forwards requests of any user, so it needs a token unless root is named.
    @Test("Without settings, root may ask and no other user, and root's web server only where root is named")
    func root() throws {
        let server = try ServerProcess()
        #expect(try ask(server, as: ["0", Self.named, Self.numbered, "65534"]) == ["404", "401", "401", "401"])
        #expect(try ask(server, as: ["0"], "forwarded") == ["401"])
        #expect(try ask(ServerProcess { $0["SERVICE_USERS"] = "root" }, as: ["0"], "forwarded") == ["404"])
    }

    @Test("The users of SERVICE_USERS may ask, by name or number, also through a web server of theirs")
    func users() throws {
        let server = try ServerProcess { $0["SERVICE_USERS"] = "daemon, \(Self.numbered)" }
        let all = ["0", Self.named, Self.numbered, Self.other]
        #expect(try ask(server, as: all) == ["404", "404", "404", "401"])
        #expect(try ask(server, as: all, "forwarded") == ["401", "404", "404", "401"])
        for user in ["daemon", Self.numbered] {
            #expect(Eventually.holds { server.process.log.contains(#""service":"user:\#(user)""#) })
        }
    }

    /// The kernel refuses one to a process in a changed root folder.
    private static let mayMakeNamespace =
        (try? Shell.outcome(of: ["unshare", "--user", "--map-root-user", "true"]).status) == 0

    @Test(
        "A user outside of the server's user namespace is refused, and the start says so",
        .enabled(if: mayMakeNamespace, "needs a process that may make a user namespace"))
    func namespace() throws {
        let server = try ServerProcess(wrapper: ["unshare", "--user", "--map-root-user"]) {
            $0["SERVICE_USERS"] = "daemon"
        }
        #expect(Eventually.holds { server.process.log.contains("cannot see the user daemon") })
        #expect(try ask(server, as: ["0", Self.named]) == ["404", "401"])
    }

    @Test("Over TCP no user is known")
    func tcp() throws {
        let port = try FreePort.any()
        let server = try ServerProcess {
            $0["LISTEN"] = "tcp:127.0.0.1:\(port)"
            $0["SERVICE_USERS"] = "root"
        }
        #expect(Eventually.holds { server.process.log.contains("SERVICE_USERS has no effect at a TCP address") })
        let request = FastCGIWire.request("/users/user_unknown", parameters: [("REQUEST_METHOD", "GET")])
        let response = TestResponse(parsing: Array(try server.connect().exchange(request).text.utf8))
        #expect(response.status == 401)
    }
}
