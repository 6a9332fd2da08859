import Foundation
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
}
