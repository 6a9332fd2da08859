import POSIX
import Synchronization

/// What a connection waits for, while no worker holds it.
enum Waiting {
    /// Its next request.
    case request
    /// The rest of a request that has begun to arrive.
    case rest
    /// That its peer reads a large answer.
    case reader(UnsentAnswer)
    /// That its peer closes. The last answer is sent, and what still comes is thrown away.
    case close

    var isIdle: Bool { if case .request = self { true } else { false } }

    /// Nothing that has arrived was taken, and nothing is left to be sent: another process can go on with it.
    var isUntouched: Bool {
        switch self {
        case .request, .rest: true
        case .reader, .close: false
        }
    }

    var interest: Poller.Interest {
        switch self {
        case .request: .readableOnce
        case .rest: .newlyReadable
        case .reader: .newlyWritable
        case .close: .readable
        }
    }

    func patience(_ limits: Limits) -> Duration {
        switch self {
        case .request: limits.idleFor
        case .rest: limits.incompleteFor
        case .reader: limits.unreadFor
        case .close: limits.lingerFor
        }
    }
}

/// An answer too large for the socket. libfcgi writes it into memory in one go, so that no worker waits for the peer.
///
/// Safe to share: only the thread that has taken the connection out of the table uses it.
final class UnsentAnswer: @unchecked Sendable {
    let ending: Ending
    private let records: MemoryFile
    private var sent = 0

    init(then ending: Ending) throws(POSIXError) {
        records = try MemoryFile()
        self.ending = ending
    }

    /// Where its records are to be written.
    var number: Int32 { records.descriptor.number }

    /// Sends what the peer takes: `.moved` when it has taken everything.
    func send(to socket: borrowing FileDescriptor) -> Transfer {
        records.send(from: &sent, to: socket.number)
    }
}

/// All connections that no worker holds, by the numbers of their descriptors. Taking one out makes the caller its only owner.
final class WaitingConnections: Sendable {
    struct Entry {
        let waiting: Waiting
        let deadline: MonotonicTime
    }

    private let entries = Mutex<[Entry?]>([])

    func put(_ number: Int32, _ waiting: Waiting, until deadline: MonotonicTime) {
        entries.withLock { entries in
            while entries.count <= number { entries.append(nil) }
            entries[Int(number)] = Entry(waiting: waiting, deadline: deadline)
        }
    }

    /// Nil where it is not there, or waits for something else than is wanted: an event of it comes too late.
    func take(_ number: Int32, where isWanted: (Entry) -> Bool) -> Entry? {
        entries.withLock { entries in
            guard number < entries.count, let entry = entries[Int(number)], isWanted(entry) else { return nil }
            entries[Int(number)] = nil
            return entry
        }
    }

    /// The numbers of those that are wanted, the one with the earliest deadline first. They are still to be taken.
    func numbers(where isWanted: (Entry) -> Bool) -> [Int32] {
        let found = entries.withLock { entries in
            entries.enumerated().compactMap { number, entry in
                entry.flatMap { isWanted($0) ? (number: Int32(number), deadline: $0.deadline) : nil }
            }
        }
        return found.sorted { $0.deadline < $1.deadline }.map(\.number)
    }
}
