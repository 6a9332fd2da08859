import Synchronization
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Events of several nodes")
struct NodeEventTests {
    private func fixture(_ receivers: [String: EventReceiverProcess]) throws -> EventFixture {
        try EventFixture(receivers.mapValues { $0.settings() }) { adjust in
            let nodes = try TwoNodes { adjust(&$0) }
            return [nodes.first, nodes.second]
        }
    }

    @Test("Each event is sent once, by one of them")
    func once() throws {
        // An event whose answer comes too late is sent again, so on a slow machine one of two attempts counts.
        let isOnce = try sendsOnce() || sendsOnce()
        #expect(isOnce)
    }

    private func sendsOnce() throws -> Bool {
        let receivers = ["one": try EventReceiverProcess(), "two": try EventReceiverProcess()]
        let fixture = try fixture(receivers)
        let isComplete = try fixture.run(changing: ["Ada", "Bob", "Chloe"]) {
        } until: {
            try receivers.values.allSatisfy(fixture.hasAll)
        }
        #expect(isComplete)
        for (name, receiver) in receivers { try fixture.expectAll(receiver, "\(name)") }
        return try receivers.values.allSatisfy { try $0.deliveries().count == fixture.expectedCount }
    }

    @Test("Nodes that are killed in turn lose no event and change no order, also while the receiver fails")
    func killed() throws {
        let faulty = try EventReceiverProcess(
            ["accept", "accept", "die", "accept", "fail", "accept", "no_http", "accept", "busy", "accept"])
        let fixture = try fixture(["faulty": faulty])
        // After so many requests, the nodes in turn.
        let pending = Mutex([4, 10, 18])
        let isComplete = try fixture.run(changing: ["Ada", "Bob", "Chloe", "Dan"]) {
            try faulty.reviveIfDead()
            let count = try faulty.deliveries().count
            let node = pending.withLock { pending -> Int? in
                guard let next = pending.first, count >= next else { return nil }
                pending.removeFirst()
                return pending.count % 2
            }
            if let node { try fixture.nodes[node].killAndRestart() }
        } until: {
            try fixture.hasAll(faulty) && pending.withLock { $0.isEmpty }
        }
        #expect(isComplete, "not killed: \(pending.withLock { $0 })")
        try fixture.expectAll(faulty, "faulty")
    }
}
