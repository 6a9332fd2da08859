import FastCGI
import FastCGIClient
import POSIX

/// Asks this process how it is, as a front would: through the listening socket, the poller, a worker, the router and a
/// read of the store. Any answer will do: what it says is for operators, that it comes is what a restart could mend.
struct SelfCheck: Sendable {
    let responder: Responder

    private static let client = Client(path: "/healthz")

    func run(within time: Duration) throws(ClientFault) {
        let deadline = MonotonicTime.now + time
        do throws(ClientFault) {
            guard let address = try? SocketAddress(of: responder.listener.descriptor) else {
                return try askInside(until: deadline)
            }
            _ = try Self.client.ask(address, until: deadline)
        } catch {
            guard saysNothingOfUs(error) else { throw error }
            try askInside(until: deadline)
        }
    }

    /// Whether the way to the listener is at fault and not what is behind it. A server that turns guests away is full and
    /// not dead, and a path that somebody else made is not healed by starting us anew. A queue that stays full is one
    /// that nobody empties.
    private func saysNothingOfUs(_ fault: ClientFault) -> Bool {
        switch fault {
        case .turnedAway: true
        case .unreachable(let error): responder.listener.isInherited && !error.isFullQueue
        case .brokenOff, .late, .tooLong, .malformed: false
        }
    }

    /// All the same but for the listener.
    private func askInside(until deadline: MonotonicTime) throws(ClientFault) {
        let pair: SocketPair
        do { pair = try SocketPair() } catch { throw .unreachable(error) }
        let near = pair.giveFarEnd { far in responder.adopt(far, isOwn: true) }
        _ = try Self.client.ask(over: near, until: deadline)
    }
}
