import CLinux
import Glibc

/// The service manager that started this process and wants to hear of it, as sd_notify(3) has it. Where there is none,
/// nothing is sent and nothing fails.
package struct ServiceManager: Sendable {
    /// One line of a message.
    package enum Notice: Sendable, Equatable {
        case ready
        case reloading
        case stopping
        case alive
        case status(String)
    }

    /// The end of the line to the manager. Messages keep their order, so one socket serves them all.
    private final class Line: Sendable {
        let socket: FileDescriptor
        let address: SocketAddress

        init(to address: SocketAddress) throws(POSIXError) {
            socket = try FileDescriptor.datagramSocket(patience: ServiceManager.patience)
            self.address = address
        }
    }

    /// How long a manager may keep us waiting that has other things to do. A message lost is better than a server that
    /// hangs with its manager.
    private static let patience = Duration.seconds(5)

    private let line: Line?

    /// Within which time the manager wants to hear that this process is alive; nil where it does not ask.
    package let watchdogInterval: Duration?

    /// The manager whom this process's environment names.
    package init() {
        self.init(processID: getpid()) { name in unsafe getenv(name).map { unsafe String(cString: $0) } }
    }

    /// One that hears nothing.
    package static let none = ServiceManager(processID: 0) { _ in nil }

    init(processID: Int32, variable: (String) -> String?) {
        let address = variable("NOTIFY_SOCKET").flatMap { SocketAddress(notifySocket: $0) }
        line = address.flatMap { try? Line(to: $0) }
        watchdogInterval = line == nil ? nil : Self.watchdogInterval(processID: processID, variable: variable)
    }

    /// WATCHDOG_PID says whom it is for, since a child inherits the same environment.
    private static func watchdogInterval(processID: Int32, variable: (String) -> String?) -> Duration? {
        guard let microseconds = variable("WATCHDOG_USEC").flatMap(Int64.init), microseconds > 0 else { return nil }
        if let owner = variable("WATCHDOG_PID"), Int32(owner) != processID { return nil }
        return .microseconds(microseconds)
    }

    package var isPresent: Bool { line != nil }

    /// Says all of it in one message. False where it was not taken.
    @discardableResult
    package func tell(_ notices: Notice...) -> Bool {
        send(notices.map(\.text).joined(separator: "\n"))
    }

    /// Has the manager keep a copy of a descriptor open, and give it to the next process. False where it does not get it.
    package func keep(_ descriptor: Int32, as name: String) -> Bool {
        send("FDSTORE=1\nFDNAME=\(name)", passing: descriptor)
    }

    /// Has the manager close what it has kept under a name. It gives a new process copies and goes on keeping its own.
    @discardableResult
    package func forget(_ name: String) -> Bool {
        send("FDSTOREREMOVE=1\nFDNAME=\(name)")
    }

    /// Waits until the manager has read everything that was sent so far: it closes what comes with this message.
    @discardableResult
    package func waitUntilHeard() -> Bool {
        guard line != nil, let pair = try? SocketPair() else { return false }
        var isSent = false
        // Our own copy of the far end is closed here, so that the manager's is the last one.
        let near = pair.giveFarEnd { far in isSent = send("BARRIER=1", passing: far.number) }
        guard isSent else { return false }
        return near.waitUntilReadable(milliseconds: Int32(clamping: Self.patience.wholeMilliseconds))
    }

    private func send(_ message: String, passing descriptor: Int32? = nil) -> Bool {
        guard let line else { return false }
        return (try? line.socket.send(Array(message.utf8), to: line.address, passing: descriptor)) != nil
    }
}

extension ServiceManager.Notice {
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
