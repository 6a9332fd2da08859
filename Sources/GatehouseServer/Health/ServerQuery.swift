import FastCGIClient
package import Gatehouse
import POSIX

/// Asks a running server how it is, over the socket that its front uses.
package struct ServerQuery: Sendable {
    /// What came of it, in words that say what to do.
    package struct Fault: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    private let address: ListenAddress

    package init(at address: ListenAddress) {
        self.address = address
    }

    /// The document of `/readyz`, whatever it says.
    package func readiness(within time: Duration) throws(Fault) -> [UInt8] {
        do throws(ClientFault) {
            let answer = try Client(path: "/readyz").ask(try socketAddress(), until: MonotonicTime.now + time)
            guard answer.status == 200 || answer.status == 503 else { throw .malformed }
            return answer.body
        } catch {
            throw Fault(description: "\(address): " + Self.advice(on: error))
        }
    }

    /// The text of `/metrics`.
    package func metrics(within time: Duration) throws(Fault) -> String {
        do throws(ClientFault) { return try askedMetrics(within: time) } catch {
            throw Fault(description: "\(address): " + Self.advice(on: error))
        }
    }

    private func askedMetrics(within time: Duration) throws(ClientFault) -> String {
        let answer = try Client(path: "/metrics").ask(try socketAddress(), until: MonotonicTime.now + time)
        guard answer.status == 200 else { throw .malformed }
        return String(decoding: answer.body, as: UTF8.self)
    }

    /// When the process began that answers; nil where nothing answers at the address.
    package func startedAt(within time: Duration) throws(Fault) -> Timestamp? {
        do throws(ClientFault) {
            let lines = try askedMetrics(within: time).split(separator: "\n")
            guard let line = lines.first(where: { $0.hasPrefix("process_start_time_seconds ") }),
                let seconds = line.split(separator: " ").last.flatMap({ Double($0) })
            else { throw .malformed }
            return Timestamp(milliseconds: Int64(seconds * 1000))
        } catch {
            if case .unreachable(let reason) = error, !reason.isDenied, !reason.isFullQueue { return nil }
            throw Fault(description: "\(address): " + Self.advice(on: error))
        }
    }

    private func socketAddress() throws(ClientFault) -> SocketAddress {
        do throws(ListenerError) { return try address.socketAddress() } catch { throw .malformed }
    }

    private static func advice(on fault: ClientFault) -> String {
        switch fault {
        case .unreachable(let error) where error.isDenied:
            "this user may not use the socket: ask as root, or as the user or group that it belongs to"
        case .unreachable(let error) where error.isFullQueue:
            "connections are not accepted any more: see systemctl status gatehouse, and start it anew"
        case .unreachable(let error):
            "nobody listens (\(error)): start the server, or see that LISTEN is what the server has"
        case .turnedAway: "the server has as many connections as it may have: ask again"
        case .late: "the server accepts connections and does not answer: see its log, and start it anew"
        case .brokenOff: "the server broke off: see its log"
        case .tooLong, .malformed: "what answers there is no Gatehouse of this version"
        }
    }
}
