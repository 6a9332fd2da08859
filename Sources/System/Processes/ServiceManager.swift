import CLinux
import Glibc
import POSIX
import Sockets

/// The connection to the service manager (sd_notify(3)). Without a service manager nothing is sent and nothing fails.
package struct ServiceManager: Sendable {
    /// A line of a notification.
    package enum Message: Sendable, Equatable {
        case ready
        case reloading
        case stopping
        case alive
        case status(String)
    }

    /// The socket to the manager. All messages use the same one, so they stay in order.
    private final class Connection: Sendable {
        let socket: FileDescriptor
        let address: SocketAddress

        init(to address: SocketAddress) throws(POSIXError) {
            socket = try FileDescriptor.datagramSocket(sendTimeout: ServiceManager.timeout)
            self.address = address
        }
    }

    /// How long to wait for a busy manager. A lost message is better than a server that hangs.
    private static let timeout = Duration.seconds(5)

    private let connection: Connection?

    /// The interval within which the manager expects a watchdog message; nil if it expects none.
    package let watchdogInterval: Duration?

    /// The manager that the environment names.
    package init() {
        self.init(processID: getpid()) { name in unsafe getenv(name).map { unsafe String(cString: $0) } }
    }

    init(processID: Int32, variable: (String) -> String?) {
        let address = variable("NOTIFY_SOCKET").flatMap { SocketAddress(notifySocket: $0) }
        connection = address.flatMap { try? Connection(to: $0) }
        watchdogInterval = connection == nil ? nil : Self.watchdogInterval(processID: processID, variable: variable)
    }

    /// WATCHDOG_PID names the process that the interval is for: a child process inherits the same environment.
    private static func watchdogInterval(processID: Int32, variable: (String) -> String?) -> Duration? {
        guard let microseconds = variable("WATCHDOG_USEC").flatMap(Int64.init), microseconds > 0 else { return nil }
        if let owner = variable("WATCHDOG_PID"), Int32(owner) != processID { return nil }
        return .microseconds(microseconds)
    }

    package var isPresent: Bool { connection != nil }

    /// Sends one message. False if it could not be sent.
    @discardableResult
    package func notify(_ messages: Message...) -> Bool {
        send(messages.map(\.text).joined(separator: "\n"))
    }

    /// Stores a copy of a descriptor with the manager, which passes it to the next process. False
    /// if it could not be sent.
    package func store(_ descriptor: Int32, as name: String) -> Bool {
        send("FDSTORE=1\nFDNAME=\(name)", passing: descriptor)
    }

    /// Tells the manager to close the stored descriptors of a name. Without this it keeps them, even after it has
    /// passed copies to a new process.
    @discardableResult
    package func remove(_ name: String) -> Bool {
        send("FDSTOREREMOVE=1\nFDNAME=\(name)")
    }

    /// Waits until the manager has read all messages: it closes the descriptor that is sent with a barrier message.
    @discardableResult
    package func waitUntilRead() -> Bool {
        guard connection != nil, let pair = try? SocketPair() else { return false }
        var isSent = false
        // This closes this process's copy of the far end, so that the manager's copy is the last one.
        let near = pair.giveFarEnd { far in isSent = send("BARRIER=1", passing: far.number) }
        guard isSent else { return false }
        return near.waitUntilReadable(milliseconds: Int32(clamping: Self.timeout.wholeMilliseconds))
    }

    private func send(_ message: String, passing descriptor: Int32? = nil) -> Bool {
        guard let connection else { return false }
        return (try? connection.socket.send(Array(message.utf8), to: connection.address, passing: descriptor)) != nil
    }
}

extension ServiceManager.Message {
    fileprivate var text: String {
        switch self {
        case .ready: "READY=1"
        case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(Self.monotonicMicroseconds())"
        case .stopping: "STOPPING=1"
        case .alive: "WATCHDOG=1"
        case .status(let text): "STATUS=" + text.replacing("\n", with: " ")
        }
    }

    private static func monotonicMicroseconds() -> Int64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
    }
}
