import POSIX
import Sockets
import Synchronization

/// The received part of a request that arrives in several parts. Its bytes are counted until this object is released,
/// so the count is right however the connection ends.
final class PartialRequest: Sendable {
    let bytes: [UInt8]
    private let count: UnfinishedBytes

    init(_ bytes: [UInt8], countedIn count: UnfinishedBytes) {
        self.bytes = bytes
        self.count = count
        count.add(bytes.count)
    }

    deinit { count.add(-bytes.count) }
}

/// The sum of the bytes of all partial requests.
final class UnfinishedBytes: Sendable {
    private let sum = Atomic(0)

    var value: Int { sum.load(ordering: .relaxed) }

    fileprivate func add(_ count: Int) { sum.add(count, ordering: .relaxed) }
}

extension Responder {
    /// Closes the largest incomplete requests as long as all together exceed the limit: one large request must not
    /// displace many small ones. Complete requests that wait for a worker are counted, but never closed.
    func closeLargestUnfinished() {
        while unfinished.value > limits.unfinishedRequests {
            let largest = connections.all { $0.incompleteBytes > 0 }
                .max { $0.entry.incompleteBytes < $1.entry.incompleteBytes }
            guard let number = largest?.number, connections.take(number, where: { $0.incompleteBytes > 0 }) != nil
            else {
                return
            }
            try? slowPoller.remove(number)
            close(FileDescriptor(takingOwnership: number))
            report(.tooManyUnfinishedBytes)
        }
    }
}
