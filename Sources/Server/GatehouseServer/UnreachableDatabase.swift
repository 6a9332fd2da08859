import FastCGI
import Gatehouse
import GatehouseStore
import GatehouseWeb
import JSON
import POSIX
import Processes
import Sockets

/// The process was told to stop before its database could be reached.
package struct StoppedWhileWaiting: Error {}

/// Answers requests with 503 while the server has started and its PostgreSQL server cannot be reached. They would otherwise
/// wait in the socket until nginx gives up.
///
/// It accepts from the same listening socket as the server, so requests that arrive after it has ended wait there for
/// the server.
struct UnreachableDatabase {
    private static let pause = Duration.seconds(1)
    private static let workers = 2

    let limits: Limits
    let manager: ServiceManager
    let log: Log

    /// Whether waiting can help: a file, a refused password or a schema that does not fit needs an operator.
    static func isCause(of failure: StoreFailure, _ configuration: Configuration) -> Bool {
        configuration.database.path == nil && [.unreachable, .busy].contains(failure.cause)
    }

    /// Tries to open the database again each second, and answers meanwhile.
    ///
    /// - Parameter adopt: gives the responder the connections of the previous process, over which nginx sends requests.
    func wait<Opened>(
        at listener: borrowing Listener, after failure: StoreFailure, adopting adopt: (Responder) -> Void,
        opening open: () throws -> Opened, while canWait: (StoreFailure) -> Bool
    ) throws -> Opened {
        let responder = try Responder(
            listener: try listener.shared(), workers: Self.workers, limits: limits, handler: Self.answer)
        let thread = try Thread.spawn(name: "waiting") { try? responder.run() }
        defer {
            responder.shutDown()
            thread.join()
        }
        adopt(responder)
        var known = failure
        report(known)
        manager.notify(.ready, .status("the database cannot be reached: requests get 503"))
        while true {
            if stopped() { throw StoppedWhileWaiting() }
            manager.notify(.alive)
            do { return try open() } catch let next as StoreFailure where canWait(next) {
                if next.description != known.description { report(next) }
                known = next
            }
        }
    }

    /// Waits for the pause, and returns whether the process was told to stop meanwhile.
    private func stopped() -> Bool {
        let never = Monitor(false)
        let end = ContinuousClock.now + Self.pause
        while ContinuousClock.now < end {
            if Signals.isStopPending { return true }
            _ = never.isReached(within: .milliseconds(100))
        }
        return Signals.isStopPending
    }

    private func report(_ failure: StoreFailure) {
        log.storeFailure(failure)
        log(.warning, "waiting", [("for", "the database")])
    }

    private static let answer: Responder.Handler = { exchange, bytes in
        let id = exchange.parameters["REQUEST_ID"].flatMap(RequestID.accepted) ?? "req_waiting"
        let request = GatehouseWeb.Request(exchange, id: id)
        Response.storageUnavailable(requestID: id).write(answering: request.method, requestID: id, to: &bytes)
    }
}
