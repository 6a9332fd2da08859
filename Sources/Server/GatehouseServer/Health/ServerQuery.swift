import FastCGI
package import Gatehouse
import POSIX
import Sockets

/// Requests the health and the metrics of a running server, over the socket that nginx uses.
package struct ServerQuery: Sendable {
    /// A failure, with advice to the operator.
    package struct Fault: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    private let address: ListenAddress

    package init(at address: ListenAddress) {
        self.address = address
    }

    /// The body of `/readyz`, whether the server is ready or not.
    package func readiness(within time: Duration) throws(Fault) -> [UInt8] {
        do throws(ClientFault) {
            let answer = try Client(path: "/readyz").ask(try socketAddress(), until: MonotonicTime.now + time)
            guard answer.status == 200 || answer.status == 503 else { throw .malformed }
            return answer.body
        } catch {
            throw fault(for: error)
        }
    }

    /// The text of `/metrics`.
    package func metrics(within time: Duration) throws(Fault) -> String {
        do throws(ClientFault) { return try fetchMetrics(within: time) } catch {
            throw fault(for: error)
        }
    }

    private func fetchMetrics(within time: Duration) throws(ClientFault) -> String {
        let answer = try Client(path: "/metrics").ask(try socketAddress(), until: MonotonicTime.now + time)
        guard answer.status == 200 else { throw .malformed }
        return String(decoding: answer.body, as: UTF8.self)
    }

    /// The start of the process that answers; nil if none listens at the address.
    package func startedAt(within time: Duration) throws(Fault) -> Timestamp? {
        do throws(ClientFault) {
            let lines = try fetchMetrics(within: time).split(separator: "\n")
            guard let line = lines.first(where: { $0.hasPrefix("process_start_time_seconds ") }),
                let seconds = line.split(separator: " ").last.flatMap({ Double($0) })
            else { throw .malformed }
            return Timestamp(milliseconds: Int64(seconds * 1000))
        } catch {
            if case .unreachable(let reason) = error, !reason.isDenied, !reason.isFullQueue { return nil }
            throw fault(for: error)
        }
    }

    private func socketAddress() throws(ClientFault) -> SocketAddress {
        do throws(ListenerError) { return try address.socketAddress() } catch { throw .malformed }
    }

    private func fault(for error: ClientFault) -> Fault {
        Fault(description: "\(address): \(Self.advice(on: error))")
    }

    private static func advice(on fault: ClientFault) -> String {
        switch fault {
        case .unreachable(let error) where error.isDenied:
            "this user may not use the socket: run the command as root, or as the user or group that owns the socket"
        case .unreachable(let error) where error.isFullQueue:
            "the server no longer accepts connections: see systemctl status gatehouse, and restart it"
        case .unreachable(let error):
            "no server listens (\(error)): start the server, or set \(Settings.table.process.listen.name) to its address"
        case .closedWithoutResponse: "the server has the maximum number of connections: try again"
        case .late: "the server accepts connections but does not answer: see its log, and restart it"
        case .truncated: "the server closed the connection: see its log"
        case .tooLong, .malformed: "another program, or another version of Gatehouse, answers there"
        }
    }
}
