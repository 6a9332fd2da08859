import Foundation
import JSON
import Synchronization
import TestSupport
import Testing

@Suite("A restart by a service manager", .timeLimit(.minutes(5)))
struct RestartTests {
    private static func login(_ name: String) -> Call {
        .post(
            "/api/auth/dev-login",
            ["email": .string("\(name)@example.com"), "devSecret": .string(ManagedHouse.devSecret)])
    }

    /// Runs until it is told to stop, and notes whatever was not answered with 200.
    private final class Load: Sendable {
        private let state = Mutex((answered: 0, faults: [String](), isOver: false))

        var answered: Int { state.withLock { $0.answered } }
        var faults: [String] { state.withLock { $0.faults } }

        func start(_ count: Int, _ ask: @escaping @Sendable (_ index: Int) throws -> () throws -> [Int]) -> [Background]
        {
            (0..<count).map { index in
                Background { [self] in
                    do {
                        let question = try ask(index)
                        while !state.withLock({ $0.isOver }) { note(try question()) }
                    } catch {
                        state.withLock { $0.faults.append("\(error)") }
                    }
                    return []
                }
            }
        }

        private func note(_ statuses: [Int]) {
            state.withLock { state in
                state.answered += statuses.count
                state.faults += statuses.filter { $0 != 200 }.map { "status \($0)" }
            }
        }

        func stop(_ threads: [Background]) {
            state.withLock { $0.isOver = true }
            for thread in threads { _ = thread.result() }
        }
    }

    @Test("loses no request of those on kept connections, nor of those that come new")
    func kept() throws {
        let house = try ManagedHouse { $0["WORKERS"] = "8" }
        let load = Load()
        let regulars = load.start(6) { index in
            let peer = try house.connect()
            return { [try house.send(Self.login("kept-\(index)"), over: peer).status] }
        }
        let newcomers = load.start(2) { index in { [try house.send(Self.login("new-\(index)")).status] } }
        let resting = try (0..<40).map { _ in try house.connect() }
        for peer in resting { #expect(try house.send(Self.login("resting"), over: peer).status == 200) }
        for _ in 0..<12 {
            let before = load.answered
            #expect(try house.restart() == 0)
            #expect(Eventually.holds(within: 40) { load.answered > before + 30 || !load.faults.isEmpty })
        }
        load.stop(regulars + newcomers)
        #expect(load.faults == [])
        for peer in resting { #expect(try house.send(Self.login("resting"), over: peer).status == 200) }
        #expect(house.log.contains("connections_adopted"))
    }

    @Test("loses no request that comes through nginx")
    func fronted() throws {
        let house = try ManagedHouse { $0["WORKERS"] = "8" }
        let front = try FrontedHouse(values: [
            "RESPONDER": "unix:\(house.socket)", "LOGIN_RATE": "100000r/s", "LOGIN_BURST": "100000",
            "AUTH_RATE": "100000r/s", "AUTH_BURST": "100000", "API_RATE": "100000r/s", "API_BURST": "100000",
        ])
        let load = Load()
        let threads = load.start(3) { index in
            { try front.send(Self.login("front-\(index)"), timesAtOnce: 25).map(\.status) }
        }
        for _ in 0..<12 {
            let before = load.answered
            #expect(try house.restart() == 0)
            #expect(Eventually.holds(within: 40) { load.answered > before + 150 || !load.faults.isEmpty })
        }
        load.stop(threads)
        #expect(load.faults == [])
        #expect(house.log.contains("connections_adopted"))
    }

    @Test("loses no request that comes through a front in its shortest configuration", arguments: Front.allCases)
    func shortestFront(_ front: Front) throws {
        let house = try ManagedHouse { $0["WORKERS"] = "8" }
        // The fronts' workers are of another user.
        chmod(house.socket, 0o666)
        let fronted = try FrontedResponder(front, responder: .unix(house.socket))
        let (login, file) = (Self.login("fronted"), fronted.folder.file("login"))
        try Data(login.body).write(to: URL(fileURLWithPath: file))
        let exchange = FrontExchange(
            path: "/auth/dev-login", headers: ["Content-Type: application/json"], body: (file, login.body.count),
            status: 200)
        let load = Load()
        let threads = load.start(2) { _ in
            { try fronted.send(Array(repeating: exchange, count: 25), atATime: 25).map(\.status) }
        }
        for _ in 0..<6 {
            let before = load.answered
            #expect(try house.restart() == 0)
            #expect(Eventually.holds(within: 40) { load.answered > before + 100 || !load.faults.isEmpty })
        }
        load.stop(threads)
        #expect(load.faults == [])
    }

    @Test("has nothing kept open by the manager that the server does not have, or has closed")
    func nothingIsLeft() throws {
        let house = try ManagedHouse()
        let peers = try (0..<5).map { _ in try house.connect() }
        for peer in peers { #expect(try house.send(Self.login("left"), over: peer).status == 200) }
        try house.restart()
        #expect(Eventually.holds { house.manager.keptCount() == 0 })
        // Half a request, so that the server is the one to hang up.
        try peers[0].send(Array(ServedHouse.bytes(of: Self.login("half")).prefix(20)))
        #expect(try peers[0].isEnded())
        #expect(try house.send(Self.login("left"), over: peers[1]).status == 200)
    }

    @Test("goes well where the manager keeps nothing: connections end, and their clients come again")
    func noStore() throws {
        let house = try ManagedHouse()
        let peer = try house.connect()
        #expect(try house.send(Self.login("none"), over: peer).status == 200)
        house.manager.keepsNothing = true
        #expect(try house.restart() == 0)
        #expect(try peer.isEnded())
        #expect(try house.send(Self.login("none")).status == 200)
    }
}
