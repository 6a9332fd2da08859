import Foundation
import JSON
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Nodes that cannot read the log of revocations")
struct BlindNodeTests {
    private func isReady(_ node: ServerProcess) throws -> Bool? {
        let parts = try node.send(.get("/readyz"))["parts"]?.array?.compactMap(\.object) ?? []
        return parts.first { $0["name"] == "revocations" }?["ready"]?.bool
    }

    @Test("After 30 s they refuse guarded requests with 503 and say so, and recover by themselves")
    func refusal() async throws {
        let nodes = try TwoNodes()
        let both = [nodes.first, nodes.second]
        let login = try nodes.first.devLogin("blind@example.com")
        let start = ContinuousClock.now
        // Only the log: all other tables go on working.
        try nodes.first.change("ALTER TABLE revocations RENAME TO lost")
        for node in both {
            let isBlind = try await Eventually.becomesTrue(every: 0.2) {
                let status = try node.verify(login.accessToken).status
                let age = try #require(try node.ageOfRevocations())
                #expect(status == 204 || age > 29)
                return age > 28
            }
            #expect(isBlind)
        }
        for node in both {
            #expect(Eventually.holds { (try? node.verify(login.accessToken).status) == 503 })
            let refused = try node.me(login.accessToken)
            expectProblem(refused, 503, "storage_unavailable")
            #expect(refused.header("retry-after") != nil)
            #expect(try isReady(node) == false)
            #expect(try node.send(.get("/readyz")).status == 503)
            #expect(try node.ageOfRevocations().map { $0 > 30 } == true)
        }
        #expect(start.duration(to: .now) > .seconds(29))
        try nodes.first.change("ALTER TABLE lost RENAME TO revocations")
        for node in both {
            #expect(Eventually.holds { (try? node.verify(login.accessToken).status) == 204 })
            #expect(try isReady(node) == true)
            #expect(try node.ageOfRevocations().map { $0 < 30 } == true)
        }
    }
}
