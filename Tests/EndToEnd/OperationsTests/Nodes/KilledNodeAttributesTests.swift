import Foundation
import JSON
import Synchronization
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Attributes at nodes that are killed")
struct KilledNodeAttributesTests {
    /// A user whose attribute `plan` many increment, and what was answered of it.
    private final class Counter: Sendable {
        let user: String
        /// Of each change that was answered with 200, in the order of the answers.
        let changes = Mutex<[(value: Int64, node: String, answered: ContinuousClock.Instant)]>([])
        /// Changes that may have been made, or not.
        let unknown = Mutex(0)
        let tokens: Mutex<TestResponse>
        let admitted = Atomic(0)
        /// How often the client of the guard has had its turn.
        let turns = Atomic(0)

        init(_ login: TestResponse) {
            user = login.userID
            tokens = Mutex(login)
        }

        /// What the guard may hand on at least, at a node that has read what the other one had changed until then.
        func least(at node: ServerProcess, hasReadUntil moment: ContinuousClock.Instant) -> Int64 {
            changes.withLock { changes in
                changes.filter { $0.node == node.socket || $0.answered < moment }.map(\.value).max() ?? 0
            }
        }
    }

    private let load: KilledNodes

    init() throws {
        load = try KilledNodes { variables in
            ServiceServers.configure(&variables)
            variables["TOKEN_ATTRIBUTES"] = "plan"
        }
    }

    private func read(_ user: String) throws -> (value: Int64, version: Int64) {
        let answer = try load.ask { .get("/users/\(user)", bearer: ServiceFixture.token) }.response
        let value = answer["attributes"]?.object?["plan"]?.integer ?? 0
        return (value, try #require(answer["attributesVersion"]?.integer, "\(answer.status) \(answer.json)"))
    }

    /// A writer reads the attributes once, and increments the counter with the ETag of its own last answer, until another writer
    /// has changed the attributes.
    private func increment(_ counter: Counter, as writer: Int) throws {
        var known = try read(counter.user)
        for _ in 0..<20 {
            let next = known.value + 1
            // Otherwise it would be the same change as another writer's, which is 200 for both.
            let attributes: JSONObject = ["plan": .integer(next), "by": .string("\(writer) \(UUID())")]
            let answer = try load.ask { .setAttributes(attributes, of: counter.user, "\"\(known.version)\"") }
            guard answer.response.status == 200 else {
                if answer.isRepeated { counter.unknown.withLock { $0 += 1 } }
                if answer.response.status != 412 { load.report("\(answer.response.status) \(answer.response.json)") }
                return
            }
            counter.changes.withLock { $0.append((next, answer.node.socket, .now)) }
            let tag = answer.response.header("etag") ?? ""
            known = (next, try #require(Int64(tag.dropFirst().dropLast())))
            waitForGuard(counter)
        }
    }

    /// Each change ends the access tokens before it: the client of the guard has to have its turn in between.
    private func waitForGuard(_ counter: Counter) {
        let before = counter.turns.load(ordering: .relaxed)
        _ = Eventually.holds { load.isOver || counter.turns.load(ordering: .relaxed) > before + 1 }
    }

    /// Refreshes, and asks the guard of one node with the former token and with the new one.
    private func askGuard(_ counter: Counter, _ turn: Int) throws {
        defer { counter.turns.wrappingAdd(1, ordering: .relaxed) }
        let (node, start) = (load.nodes[turn], ContinuousClock.now)
        guard let age = try? node.ageOfRevocations() else { return }
        let former = counter.tokens.withLock { $0 }
        let next = try load.ask { .refresh(former.refreshToken) }.response
        guard next.status == 200 else { return load.report("refresh: \(next.status) \(next.json)") }
        counter.tokens.withLock { $0 = next }
        let least = counter.least(at: node, hasReadUntil: start - .seconds(age))
        for token in [former.accessToken, next.accessToken] {
            guard let answer = try? node.verify(token), answer.status != 503 else { return }
            let value = answer.header("x-user-attribute-plan").flatMap { Int64($0) } ?? 0
            if answer.status == 204 { counter.admitted.wrappingAdd(1, ordering: .relaxed) }
            guard answer.code == "session_revoked" || (answer.status == 204 && value >= least) else {
                return load.report("guard: \(answer.status) \(answer.code ?? "") \(value) after \(least)")
            }
        }
    }

    @Test("No increment with If-Match is lost, and the guard hands on no value that was replaced before its request")
    func counted() throws {
        let counters = try (0..<2).map { Counter(try load.nodes.first.devLogin("counter-\($0)@example.com")) }
        let clients = counters.flatMap { counter -> [KilledNodes.Client] in
            [
                { _ in try increment(counter, as: 1) }, { _ in try increment(counter, as: 2) },
                { try askGuard(counter, $0) },
            ]
        }
        try load.run(clients, killedIn: Need.areAllMet ? 20 : 4) { round in
            if Need.areAllMet, round % 4 == 1 { try load.endConnections() }
        }
        #expect(load.faults == [])
        for counter in counters { try expectAll(counter) }
    }

    private func expectAll(_ counter: Counter) throws {
        let (changes, unknown) = (counter.changes.withLock { $0 }, counter.unknown.withLock { $0 })
        let (value, version) = try read(counter.user)
        #expect(value == version, "each change has incremented what the one before has written")
        #expect((changes.count...changes.count + unknown).contains(Int(value)), "and \(unknown) unknown")
        #expect(Set(changes.map(\.value)).count == changes.count)
        #expect(counter.admitted.load(ordering: .relaxed) > 0)
        for (node, other) in [(load.nodes.first, load.nodes.second), (load.nodes.second, load.nodes.first)] {
            let next = try node.refresh(counter.tokens.withLock { $0 }.refreshToken)
            counter.tokens.withLock { $0 = next }
            #expect(try other.verify(next.accessToken).header("x-user-attribute-plan") == "\(value)")
        }
    }
}
