import Foundation
import JSON
import Synchronization
import TestSupport
import Testing

/// A server, or two nodes, with receivers; users whose changes are sent to them; and faults while that happens.
final class EventFixture: Sendable {
    let nodes: [ServerProcess]
    let users: ChangedUsers
    private let folder: TemporaryFolder

    /// - Parameter receivers: the texts of their files, by name.
    init(
        _ receivers: [String: String],
        with start: (_ adjust: (inout [String: String]) -> Void) throws -> [ServerProcess]
    ) throws {
        let folder = try TemporaryFolder()
        for (name, text) in receivers {
            try text.write(toFile: folder.file(name + ".conf"), atomically: true, encoding: .utf8)
        }
        self.folder = folder
        let nodes = try start { $0["RECEIVERS_DIR"] = folder.path }
        self.nodes = nodes
        let turn = Mutex(0)
        users = ChangedUsers {
            nodes[
                turn.withLock { turn in
                    turn += 1
                    return turn
                } % nodes.count]
        }
    }

    convenience init(_ receivers: [String: String]) throws {
        try self.init(receivers) { adjust in [try ServerProcess { adjust(&$0) }] }
    }

    /// Changes users while `disturb` is called again and again, and goes on with that until `isDone`, for some minutes at most.
    func run(
        changing names: [String], disturbedBy disturb: @escaping @Sendable () throws -> Void,
        until isDone: @Sendable () throws -> Bool
    ) throws -> Bool {
        let isChanged = Mutex(false)
        _ = try Concurrently.run(2) { [users] index in
            if index == 0 {
                defer { isChanged.withLock { $0 = true } }
                for (number, name) in names.enumerated() { try users.live(name, isDeleted: number.isMultiple(of: 2)) }
            } else {
                _ = try Eventually.holds(within: 300, every: 0.05) {
                    try disturb()
                    return isChanged.withLock { $0 }
                }
            }
        }
        return try Eventually.holds(within: 300, every: 0.1) {
            try disturb()
            return try isDone()
        }
    }

    var expectedCount: Int { users.expected.values.map(\.count).reduce(0, +) }

    func hasAll(_ receiver: EventReceiverProcess) throws -> Bool {
        try receiver.deliveries().acceptedIDs.count >= expectedCount
    }

    /// Nothing missing, nothing made up, the events of each user in their order, and each signed.
    func expectAll(_ receiver: EventReceiverProcess, _ name: Comment) throws {
        let deliveries = try receiver.deliveries()
        #expect(deliveries.firstOccurrences == users.expected, name)
        #expect(deliveries.acceptedIDs == Set(deliveries.map(\.id)), name)
        #expect(deliveries.allSatisfy { $0.isVerified && $0.path == "/events" && $0.id.hasPrefix("evt_") }, name)
        for same in Dictionary(grouping: deliveries, by: \.id).values {
            #expect(Set(same.map { "\($0.type) \($0.user) \($0.body["timestamp"]?.string ?? "")" }).count == 1, name)
        }
    }

    /// What the database says of a receiver.
    func state(of receiver: String) throws -> JSONObject {
        let document = try JSONValue(parsing: Array(nodes[0].runCommand("events", "receivers", "--json").utf8)).object
        let states = document?["receivers"]?.array?.compactMap(\.object) ?? []
        return try #require(states.first { $0["name"]?.string == receiver })
    }
}
