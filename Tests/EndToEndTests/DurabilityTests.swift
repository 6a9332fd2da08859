import Foundation
import JSON
import Synchronization
import TestSupport
import Testing

@Suite("What was answered with 200")
struct DurabilityTests {
    /// Tokens whose answer has arrived, and the threads that go on asking for more.
    private final class Answered: Sendable {
        let tokens = Mutex<[String]>([])
        let isOver = Atomic(false)
    }

    @Test("survives a kill at any moment", arguments: 0..<4)
    func kill(_ round: Int) throws {
        let house = try ServedHouse()
        let answered = Answered()
        let busy = (0..<8).map { number in
            Background {
                var turn = 0
                while !answered.isOver.load(ordering: .relaxed), turn < 2000 {
                    turn += 1
                    guard let answer = try? Self.chain(house, "kill-\(number)-\(turn)@example.com") else { continue }
                    answered.tokens.withLock { $0.append(answer) }
                }
                return []
            }
        }
        #expect(Eventually.holds { answered.tokens.withLock { $0.count } >= 20 + round * 15 })
        house.process.signal(SIGKILL)
        answered.isOver.store(true, ordering: .relaxed)
        for thread in busy { _ = thread.result() }
        #expect(house.process.wait() == 128 + SIGKILL)
        try house.restart()
        let tokens = answered.tokens.withLock { $0 }
        #expect(tokens.count >= 20)
        for token in tokens { #expect(try house.refresh(token).status == 200) }
    }

    /// A login and a refresh: the token that a client holds in the end.
    private static func chain(_ house: ServedHouse, _ email: String) throws -> String? {
        let login = try house.devLogin(email)
        guard login.status == 200 else { return nil }
        let next = try house.refresh(login.refreshToken)
        // Where the second answer was lost, the client still holds the first token.
        return next.status == 200 ? next.refreshToken : nil
    }

    @Test("is not said when the disk is full, and is said again when there is room")
    func fullDisk() throws {
        // The file may grow to 512 KiB; so may no other that the process writes.
        let house = try ServedHouse(wrapper: ["prlimit", "--fsize=524288:unlimited", "--"])
        let before = try house.devLogin("before@example.com")
        var refused: Answer?
        for number in 0..<3000 where refused == nil {
            let answer = try house.devLogin("crowd-\(number)@example.com")
            if answer.status != 200 { refused = answer }
        }
        let answer = try #require(refused)
        #expect(answer.status == 503)
        #expect(answer.code == "storage_unavailable")
        #expect(answer.header("retry-after") != nil)
        // Reading goes on: a user is never taken for nobody.
        #expect(try house.me(before.accessToken).status == 200)
        try Shell.run(["prlimit", "--fsize=unlimited:unlimited", "--pid", "\(house.process.identifier)"])
        #expect(try house.devLogin("after@example.com").status == 200)
        #expect(try house.refresh(before.refreshToken).status == 200)
        #expect(Eventually.holds { house.process.log.contains("\"event\":\"storage\"") })
    }

    @Test("and then stolen is an event that the log names, by ids and without the token")
    func theft() throws {
        let house = try ServedHouse { $0["LOG_LEVEL"] = "warning" }
        let first = try house.devLogin("theft@example.com")
        let second = try house.refresh(first.refreshToken)
        _ = try house.refresh(second.refreshToken)
        #expect(try house.refresh(first.refreshToken).code == "refresh_token_reused")
        #expect(Eventually.holds { house.process.log.contains("refresh_token_reused") })
        #expect(house.process.log.contains(first["user"]?.object?["id"]?.string ?? "?"))
        #expect(!house.process.log.contains(first.refreshToken))
    }

    @Test("no log of it holds a token, a secret or an address")
    func quietLog() throws {
        let house = try ServedHouse()
        let login = try house.devLogin("private-person@example.com")
        let next = try house.refresh(login.refreshToken)
        let apple = house.apple.login("001.log")
        _ = try house.send(.post("/api/auth/apple", apple))
        _ = try house.send(.post("/api/auth/logout", bearer: login.accessToken))
        _ = try house.me("not.a.token")
        house.process.signal(SIGTERM)
        #expect(house.process.wait() == 0)
        let log = house.process.log
        #expect(log.contains("/api/auth/refresh"))
        let secrets = [
            login.accessToken, login.refreshToken, next.refreshToken, apple["identityToken"]?.string ?? "-",
            apple["authorizationCode"]?.string ?? "-", "private-person", ServedHouse.devSecret, Settings.accessSecret,
            Settings.refreshSecret,
        ]
        for secret in secrets { #expect(!log.contains(secret)) }
    }
}
