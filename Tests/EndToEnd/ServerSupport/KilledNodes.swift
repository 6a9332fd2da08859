import Foundation
import StoreSupport
import Synchronization
import TestSupport
import Testing

/// Two nodes that are killed in turn, and clients that go on: a request that is not answered, or with 503, is made again,
/// at the nodes in turn.
final class KilledNodes: Sendable {
    typealias Client = @Sendable (_ turn: Int) throws -> Void

    struct Answer: Sendable {
        let response: TestResponse
        /// The node that has answered.
        let node: ServerProcess
        /// Whether a former attempt may have been carried out.
        let isRepeated: Bool
    }

    let nodes: TwoNodes
    private let turn = Atomic(0)
    private let answers = Atomic(0)
    private let refusals = Atomic(0)
    private let ends = Atomic(false)
    private let found = Mutex<[String]>([])

    /// What one node does, the other one learns by its next look alone, once a second.
    init(_ adjust: (inout [String: String]) -> Void) throws {
        nodes = try TwoNodes(adjust)
        try nodes.dropNotifications()
    }

    var isOver: Bool { ends.load(ordering: .relaxed) }
    var both: [ServerProcess] { [nodes.first, nodes.second] }
    var faults: [String] { found.withLock { $0 } }

    func report(_ fault: String) { found.withLock { $0.append(fault) } }

    /// - Parameter request: makes the request anew for each attempt, because a proof can be used once.
    func ask(_ request: () throws -> TestRequest) throws -> Answer {
        var (attempts, answer): (Int, Answer?) = (0, nil)
        _ = Eventually.holds {
            attempts += 1
            let node = nodes[turn.wrappingAdd(1, ordering: .relaxed).newValue]
            guard let response = try? node.send(request()) else { return false }
            guard response.status != 503 else {
                refusals.wrappingAdd(1, ordering: .relaxed)
                return false
            }
            answer = Answer(response: response, node: node, isRepeated: attempts > 1)
            return true
        }
        answers.wrappingAdd(1, ordering: .relaxed)
        return try #require(answer, "no node answers")
    }

    /// Runs each client again and again, on a thread of its own. In each round, after some more answers each, a node is
    /// killed and `disturb` is called.
    func run(
        _ clients: [Client], killedIn rounds: Int,
        disturbedBy disturb: (_ round: Int) throws -> Void = { _ in }
    ) throws {
        let threads = clients.map { client in
            Background { [self] in
                for turn in 0..<100_000 where !isOver {
                    do { try client(turn) } catch { report("\(error)") }
                }
                return []
            }
        }
        defer {
            ends.store(true, ordering: .relaxed)
            for thread in threads { _ = thread.result() }
        }
        for round in 0..<rounds {
            waitForAnswers()
            try nodes[round].killAndRestart()
            waitForAnswers()
            try disturb(round)
        }
        waitForAnswers()
    }

    private func waitForAnswers(_ count: Int = 40) {
        let goal = answers.load(ordering: .relaxed) + count
        #expect(Eventually.holds { answers.load(ordering: .relaxed) >= goal })
    }

    /// Takes a table away until some requests were answered with 503.
    func hide(_ table: String) throws {
        let goal = refusals.load(ordering: .relaxed) + 10
        try nodes.database.execute("ALTER TABLE \(table) RENAME TO hidden")
        #expect(Eventually.holds { refusals.load(ordering: .relaxed) >= goal })
        try nodes.database.execute("ALTER TABLE hidden RENAME TO \(table)")
    }

    /// Ends the nodes' connections, also those whose commit is under way.
    func endConnections() throws {
        try nodes.database.execute(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """)
    }
}
