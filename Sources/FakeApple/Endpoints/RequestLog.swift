import Synchronization

/// The requests that reached Apple's endpoints, the oldest first.
final class RequestLog: Sendable {
    /// A fake that runs for weeks must not grow.
    private static let longest = 10_000

    private let records = Mutex<[RequestRecord]>([])

    var all: [RequestRecord] { records.withLock { $0 } }

    func add(_ record: RequestRecord) {
        records.withLock { records in
            records.append(record)
            if records.count > Self.longest { records.removeFirst(records.count - Self.longest) }
        }
    }

    func clear() { records.withLock { $0 = [] } }
}
