import FastCGI

/// How many files and sockets a server has open.
package enum DescriptorNeed {
    /// Beside its connections: the readers of the database and what else there is.
    package static func own(workers: Int) -> Int { 64 + 8 * workers }

    /// With as many connections as it would ever hold.
    package static func most(workers: Int) -> Int { own(workers: workers) + Limits.standard.connections }
}
