import Glibc
import POSIX
import Sockets
import Synchronization

@testable import FastCGI
@testable import TestSupport

/// A responder for one test, on a unix socket or a local port.
final class TestResponder: Sendable {
    enum Kind: CaseIterable, Sendable { case unix, tcp }

    let address: FastCGIPeer.Address
    let responder: Responder
    let held = HeldRequests()
    private let thread: Thread
    private let faultList: FaultList

    init(
        _ kind: Kind = .unix, workers: Int = 2, limits: Limits = .quick, keeper: Responder.Keeper? = nil,
        handler: Responder.Handler? = nil
    ) throws {
        let (faults, held) = (FaultList(), held)
        let listener: Listener
        switch kind {
        case .unix:
            let path = Self.freshPath()
            listener = try Listener.unix(path: path)
            address = .unix(path)
        case .tcp:
            listener = try Listener.tcp(host: "127.0.0.1", port: 0)
            address = .tcp(listener.port!)
        }
        let responder = try Responder(
            listener: listener, workers: workers, limits: limits, keeper: keeper, report: { faults.add($0) },
            handler: handler ?? { request, answer in
                if request.parameter("DOCUMENT_URI") == "/held" { held.wait() }
                TestResponder.answer(request, into: &answer)
            })
        self.responder = responder
        faultList = faults
        thread = try Thread.spawn(name: "responder") { try! responder.run() }
    }

    deinit { stop() }

    var faults: [Fault] { faultList.all }

    /// Whether a connection is idle: between two requests, or before its first one.
    var hasIdleConnection: Bool { !responder.connections.all(where: \.isIdle).isEmpty }

    /// Whether no connection has a request, complete or not.
    var hasOnlyIdleConnections: Bool {
        responder.connections.all(where: \.isIdle).count == responder.openConnections
    }

    func stop() {
        responder.shutDown()
        thread.join()
    }

    func connect() throws -> FastCGIPeer { try FastCGIPeer(address) }

    static func freshPath() -> String {
        "/tmp/gatehouse-\(getpid())-\(counter.add(1, ordering: .relaxed).newValue).sock"
    }

    private static let counter = Atomic(0)

    /// Echoes the request, or does what its path says.
    static func answer(_ request: borrowing Request, into answer: inout [UInt8]) {
        answer += response(to: request)
    }

    private static func response(to request: borrowing Request) -> [UInt8] {
        let uri = request.parameter("DOCUMENT_URI") ?? "?"
        let parts = uri.split(separator: "/")
        // A mutated request may contain any number.
        let number = parts.dropFirst().first.flatMap { UInt32($0) }.map { min(Int($0), 10_000_000) } ?? 0
        if request.bodyIsTooLarge { return text(413, "too large") }
        switch parts.first {
        case "large": return text(200, String(repeating: "x", count: number))
        case "length": return text(200, String(request.body.count))
        case "value": return text(200, request.parameter(String(parts.last!)) ?? "none")
        default: return text(200, uri + ":" + String(decoding: request.body, as: UTF8.self))
        }
    }

    static func text(_ status: Int, _ body: String) -> [UInt8] { Array(expected(body, status: status).utf8) }

    static func expected(_ body: String, status: Int = 200) -> String {
        "Status: \(status)\r\nContent-Type: text/plain\r\n\r\n" + body
    }
}

/// The requests for `/held`, whose handlers wait until the test lets them go on.
final class HeldRequests: Sendable {
    private let state = Monitor((count: 0, isOver: false))

    /// Limited, in case the test fails.
    func wait() {
        state.change { $0.count += 1 }
        _ = state.wait(atMost: .seconds(120)) { $0.isOver ? () : nil }
    }

    /// Waits until so many handlers run.
    func arrive(_ count: Int = 1) { state.wait { $0.count >= count ? () : nil } }

    func release() { state.change { $0.isOver = true } }
}

final class FaultList: Sendable {
    private let faults = Mutex<[Fault]>([])
    var all: [Fault] { faults.withLock { $0 } }
    func add(_ fault: Fault) { faults.withLock { $0.append(fault) } }
}

extension Limits {
    /// The standard limits with frequent sweeps, so that tests do not wait long.
    static var quick: Limits {
        var limits = Limits.standard
        limits.sweepEvery = .milliseconds(20)
        return limits
    }
}
