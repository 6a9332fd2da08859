import FastCGI
import POSIX
import Sockets

/// Sends `/healthz` to this process as nginx would: through the listening socket, the poller, a worker, the
/// router and a read of the store. Any answer is a success: the watchdog restarts the process only for faults
/// that a restart can remove.
struct SelfCheck: Sendable {
    let responder: Responder

    private static let client = Client(path: "/healthz")

    func run(within time: Duration) throws(ClientFault) {
        let deadline = MonotonicTime.now + time
        do throws(ClientFault) {
            guard let address = try? SocketAddress(of: responder.listener.descriptor) else {
                return try checkWithoutListener(until: deadline)
            }
            _ = try Self.client.ask(address, until: deadline)
        } catch {
            guard concernsListenerOnly(error) else { throw error }
            try checkWithoutListener(until: deadline)
        }
    }

    /// Whether the fault says nothing about the process behind the listener. A server that closes new connections has
    /// reached its limit, but works. A restart does not repair the path of a socket that systemd created. But a queue
    /// that stays full means that this process accepts no connections.
    private func concernsListenerOnly(_ fault: ClientFault) -> Bool {
        switch fault {
        case .closedWithoutResponse: true
        case .unreachable(let error): responder.listener.isInherited && !error.isFullQueue
        case .truncated, .late, .tooLong, .malformed: false
        }
    }

    /// The same check over a pair of sockets, without the listener.
    private func checkWithoutListener(until deadline: MonotonicTime) throws(ClientFault) {
        let pair: SocketPair
        do { pair = try SocketPair() } catch { throw .unreachable(error) }
        let near = pair.giveFarEnd { far in responder.adopt(far, isOwn: true) }
        _ = try Self.client.ask(over: near, until: deadline)
    }
}
