import Foundation
import JSON
import StoreSupport
import Synchronization
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Durability of answered requests")
struct DurabilityTests {
    /// Tokens that clients have received, and the flag that stops the clients.
    private final class Answered: Sendable {
        let tokens = Mutex<[String]>([])
        let isStopped = Atomic(false)
    }

    @Test("A token that was answered with 200 survives a kill", arguments: 0..<4)
    func afterKill(_ round: Int) throws {
        let server = try ServerProcess()
        let answered = Answered()
        let busy = (0..<8).map { number in
            Background {
                var turn = 0
                while !answered.isStopped.load(ordering: .relaxed), turn < 2000 {
                    turn += 1
                    guard let response = try? Self.logInAndRefresh(server, "kill-\(number)-\(turn)@example.com")
                    else {
                        continue
                    }
                    answered.tokens.withLock { $0.append(response) }
                }
                return []
            }
        }
        #expect(Eventually.holds { answered.tokens.withLock { $0.count } >= 20 + round * 15 })
        server.process.signal(SIGKILL)
        answered.isStopped.store(true, ordering: .relaxed)
        for thread in busy { _ = thread.result() }
        #expect(server.process.wait() == 128 + SIGKILL)
        try server.restart()
        let tokens = answered.tokens.withLock { $0 }
        #expect(tokens.count >= 20)
        for token in tokens { #expect(try server.refresh(token).status == 200) }
    }

    /// Logs in, refreshes and returns the client's last token.
    private static func logInAndRefresh(_ server: ServerProcess, _ email: String) throws -> String? {
        let login = try server.devLogin(email)
        guard login.status == 200 else { return nil }
        let next = try server.refresh(login.refreshToken)
        // If the second response was lost, the client still has the first token.
        return next.status == 200 ? next.refreshToken : nil
    }

    @Test(
        "Writes get 503 while the disk is full and succeed again afterwards",
        .enabled(if: !TestDatabase.isOnServer, "about a file"))
    func fullDisk() throws {
        // Limits every file of the process to 512 KiB.
        let server = try ServerProcess(wrapper: ["prlimit", "--fsize=524288:unlimited", "--"])
        let before = try server.devLogin("before@example.com")
        var refused: TestResponse?
        for number in 0..<3000 where refused == nil {
            let response = try server.devLogin("crowd-\(number)@example.com")
            if response.status != 200 { refused = response }
        }
        let response = try #require(refused)
        #expect(response.status == 503)
        #expect(response.code == "storage_unavailable")
        #expect(response.header("retry-after") != nil)
        // Reads still succeed, and the user is still authenticated.
        #expect(try server.me(before.accessToken).status == 200)
        try Shell.run(["prlimit", "--fsize=unlimited:unlimited", "--pid", "\(server.process.identifier)"])
        #expect(try server.devLogin("after@example.com").status == 200)
        #expect(try server.refresh(before.refreshToken).status == 200)
        #expect(Eventually.holds { server.process.log.contains("\"event\":\"storage\"") })
    }

    @Test("Reuse of a refresh token is logged with ids and without the token")
    func reuseIsLogged() throws {
        let server = try ServerProcess {
            ($0["LOG_LEVEL"], $0["REFRESH_REUSE_GRACE"]) = ("warning", "0s")
        }
        let first = try server.devLogin("theft@example.com")
        let second = try server.refresh(first.refreshToken)
        _ = try server.refresh(second.refreshToken)
        #expect(try server.refresh(first.refreshToken).code == "refresh_token_reused")
        #expect(Eventually.holds { server.process.log.contains("refresh_token_reused") })
        #expect(server.process.log.contains(first["user"]?.object?["id"]?.string ?? "?"))
        #expect(!server.process.log.contains(first.refreshToken))
    }

    @Test("The log contains no token, secret or email address")
    func quietLog() throws {
        let server = try ServerProcess()
        let login = try server.devLogin("private-person@example.com")
        let next = try server.refresh(login.refreshToken)
        let apple = server.apple.login("001.log")
        _ = try server.send(.post("/api/auth/apple", apple))
        _ = try server.send(.post("/api/auth/logout", bearer: login.accessToken))
        _ = try server.me("not.a.token")
        server.process.signal(SIGTERM)
        #expect(server.process.wait() == 0)
        let log = server.process.log
        #expect(log.contains("/api/auth/refresh"))
        let secrets = [
            login.accessToken, login.refreshToken, next.refreshToken, apple["identityToken"]?.string ?? "-",
            apple["authorizationCode"]?.string ?? "-", "private-person", ServerProcess.devSecret,
            TestSettings.accessSecret,
            TestSettings.refreshSecret,
        ]
        for secret in secrets { #expect(!log.contains(secret)) }
    }
}
