import OpenSSL
import POSIX

/// Random bytes of the kernel's, of which each thread has some in stock: a request needs a few of them three times, and to
/// ask the kernel for ten takes as long as for hundreds.
final class RandomStock {
    static let perThread = ThreadLocal(RandomStock())

    private static let size = 256
    private var bytes: [UInt8] = []

    /// What has been given away is nowhere here any more, and is never given again.
    func take(_ count: Int) -> [UInt8] {
        guard count <= Self.size else { return SecureRandom.bytes(count) }
        if bytes.count < count { bytes = SecureRandom.bytes(Self.size) }
        let rest = bytes.count - count
        let taken = Array(bytes[rest...])
        for place in rest..<bytes.count { bytes[place] = 0 }
        bytes.removeLast(count)
        return taken
    }
}
