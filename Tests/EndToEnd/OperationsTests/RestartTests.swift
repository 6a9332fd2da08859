import Foundation
import JSON
import Synchronization
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Restart by a service manager", .timeLimit(.minutes(5)))
struct RestartTests {
    private static let restarts = Need.areAllMet ? 12 : 4

    private static func login(_ name: String) -> TestRequest {
        .post(
            "/api/auth/dev-login",
            ["email": .string("\(name)@example.com"), "devSecret": .string(ManagedServer.devSecret)])
    }

    /// Sends requests until it is stopped and records every status other than 200.
    private final class Load: Sendable {
        private let state = Mutex((answered: 0, faults: [String](), isStopped: false))

        var answered: Int { state.withLock { $0.answered } }
        var faults: [String] { state.withLock { $0.faults } }

        func start(_ count: Int, _ makeClient: @escaping @Sendable (_ index: Int) throws -> () throws -> [Int])
            -> [Background]
        {
            (0..<count).map { index in
                Background { [self] in
                    do {
                        let send = try makeClient(index)
                        while !state.withLock({ $0.isStopped }) { record(try send()) }
                    } catch {
                        state.withLock { $0.faults.append("\(error)") }
                    }
                    return []
                }
            }
        }

        private func record(_ statuses: [Int]) {
            state.withLock { state in
                state.answered += statuses.count
                state.faults += statuses.filter { $0 != 200 }.map { "status \($0)" }
            }
        }

        func stop(_ threads: [Background]) {
            state.withLock { $0.isStopped = true }
            for thread in threads { _ = thread.result() }
        }
    }

    @Test("No request is lost on open or on new connections")
    func directConnections() throws {
        let server = try ManagedServer { $0["WORKERS"] = "8" }
        let load = Load()
        let openConnections = load.start(6) { index in
            let peer = try server.connect()
            return { [try peer.exchange(Self.login("kept-\(index)")).status] }
        }
        let newConnections = load.start(2) { index in { [try server.send(Self.login("new-\(index)")).status] } }
        let idle = try (0..<40).map { _ in try server.connect() }
        for peer in idle { #expect(try peer.exchange(Self.login("resting")).status == 200) }
        for _ in 0..<Self.restarts {
            let before = load.answered
            #expect(try server.restart() == 0)
            #expect(Eventually.holds(within: 40) { load.answered > before + 30 || !load.faults.isEmpty })
        }
        load.stop(openConnections + newConnections)
        #expect(load.faults == [])
        for peer in idle { #expect(try peer.exchange(Self.login("resting")).status == 200) }
        #expect(server.log.contains("connections_adopted"))
    }

    @Test("No request through nginx is lost")
    func throughNginx() throws {
        let server = try ManagedServer { $0["WORKERS"] = "8" }
        let nginx = try ServerBehindNginx(values: [
            "RESPONDER": "unix:\(server.socket)", "LOGIN_RATE": "100000r/s", "LOGIN_BURST": "100000",
            "AUTH_RATE": "100000r/s", "AUTH_BURST": "100000", "API_RATE": "100000r/s", "API_BURST": "100000",
            "RESPONDER_TIMEOUT": "25s",
        ])
        let load = Load()
        let threads = load.start(3) { index in
            { try nginx.send(Self.login("front-\(index)"), timesAtOnce: 25).map(\.status) }
        }
        for _ in 0..<Self.restarts {
            let before = load.answered
            #expect(try server.restart() == 0)
            #expect(Eventually.holds(within: 40) { load.answered > before + 150 || !load.faults.isEmpty })
        }
        load.stop(threads)
        #expect(load.faults == [])
        #expect(server.log.contains("connections_adopted"))
    }

    @Test("The manager stores no connection that the server has adopted or closed")
    func storedConnections() throws {
        let server = try ManagedServer()
        let peers = try (0..<5).map { _ in try server.connect() }
        for peer in peers { #expect(try peer.exchange(Self.login("left")).status == 200) }
        try server.restart()
        #expect(Eventually.holds { server.manager.keptCount() == 0 })
        // Half a request makes the server close the connection.
        try peers[0].send(Array(Self.login("half").fastCGIBytes.prefix(20)))
        #expect(try peers[0].isEnded())
        #expect(try peers[1].exchange(Self.login("left")).status == 200)
    }

    @Test("Without a file descriptor store, connections close and clients reconnect")
    func withoutStore() throws {
        let server = try ManagedServer()
        let peer = try server.connect()
        #expect(try peer.exchange(Self.login("none")).status == 200)
        server.manager.keepsNothing = true
        #expect(try server.restart() == 0)
        #expect(try peer.isEnded())
        #expect(try server.send(Self.login("none")).status == 200)
    }
}
