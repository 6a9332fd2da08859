import FileSystem
import Gatehouse
import JOSE
import JSON
import POSIX
import StandIn
import Synchronization

/// Mints many logins, on all processors because each takes a signature.
enum Minting {
    private static let threads = 4
    /// Long, so that a pool can be used for days.
    private static let lifetime: Int64 = 30 * 86_400

    /// Writes the request bodies of a number of logins. Their subjects are the lines of standard input, repeated.
    static func write(_ count: Int, keys: String, to path: String) throws {
        var subjects: [String] = []
        while let line = readLine() { subjects.append(line) }
        guard !subjects.isEmpty, count > 0 else { throw BenchmarkFault("standard input has no subjects") }
        let mint = Mint(key: try PublishedKeys(in: keys).signing)
        let parts = Mutex([[UInt8]](repeating: [], count: threads))
        let share = (count + threads - 1) / threads
        let workers = try (0..<threads).map { [subjects] part in
            try Thread.spawn(name: "mint") {
                var bytes: [UInt8] = []
                for number in part * share..<max(part * share, min(count, (part + 1) * share)) {
                    bytes += login(number, of: subjects[number % subjects.count], by: mint) + [UInt8(ascii: "\n")]
                }
                parts.withLock { $0[part] = bytes }
            }
        }
        for worker in workers { worker.join() }
        try File.replace(path, with: parts.withLock { Array($0.joined()) })
    }

    private static func login(_ number: Int, of subject: String, by mint: Mint) -> [UInt8] {
        var order = MintOrder(audience: Sample.bundleID)
        order.subject = subject
        order.claims["exp"] = .integer(Sample.now.seconds + lifetime)
        return mint.login(order, now: Sample.now.seconds).bytes
    }
}
