import FastCGI
import Gatehouse
import OpenSSL
import POSIX

/// A buffer of random bytes for each thread. A request needs a few bytes three times, and a call to the kernel for ten
/// bytes takes as long as one for hundreds.
final class RandomBuffer {
    static let perThread = ThreadLocal(RandomBuffer())

    private static let size = 256
    private var bytes: [UInt8] = []

    /// Removes and overwrites the bytes that it returns, so that they are never returned again.
    func take(_ count: Int) -> [UInt8] {
        guard count <= Self.size else { return SecureRandom.bytes(count) }
        if bytes.count < count { bytes = SecureRandom.bytes(Self.size) }
        let rest = bytes.count - count
        let taken = Array(bytes[rest...])
        for index in rest..<bytes.count { bytes[index] = 0 }
        bytes.removeLast(count)
        return taken
    }
}

/// The number of file descriptors that a server needs.
package struct DescriptorNeed: Sendable {
    /// For the connections to the database, the log, epoll and the like; without the connections of nginx.
    package let own: Int

    /// With the maximum number of connections.
    package var maximum: Int { own + Limits.standard.connections }

    /// - Parameters:
    ///   - pool: the limit of the connection pool (DATABASE_CONNECTIONS); nil if the database is a file.
    ///   - receivers: of events. Each has threads of its own, which send and read.
    package init(workers: Int, pool: Int?, receivers: Int) {
        let senders = receivers * ReceiverPace.concurrency
        guard let pool else {
            // A thread that reads has a connection of its own, with several files.
            own = 64 + 8 * (workers + senders) + senders
            return
        }
        // One for each thread. A connection is a socket, and opens files of certificates while it connects. Three
        // connections are outside of the pool: for refreshes, for reads of users and for notifications.
        own = 64 + Configuration.threads(workers: workers, isOnServer: true) + senders + 2 * (pool + 3)
    }
}

extension Configuration {
    var descriptorNeed: DescriptorNeed {
        DescriptorNeed(
            workers: workers, pool: database.path == nil ? databaseConnections : nil, receivers: receivers.count)
    }
}
