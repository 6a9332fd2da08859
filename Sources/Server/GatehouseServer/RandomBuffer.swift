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
