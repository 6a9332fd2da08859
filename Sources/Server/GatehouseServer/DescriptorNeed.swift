import FastCGI
import Gatehouse

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
