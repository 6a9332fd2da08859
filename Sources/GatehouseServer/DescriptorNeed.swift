import FastCGI

/// The number of file descriptors that a server needs.
package enum DescriptorNeed {
    /// For the connections to the database, the log, epoll and the like; without the connections of nginx.
    package static func own(workers: Int) -> Int { 64 + 8 * workers }

    /// With the maximum number of connections.
    package static func maximum(workers: Int) -> Int { own(workers: workers) + Limits.standard.connections }
}
