import Glibc

package enum SecureRandom {
    /// The maximum length of one getentropy(3) call.
    private static let maximumChunk = 256

    /// Random bytes from the kernel. For the few bytes of an id, OpenSSL's generator takes three times as long. If the
    /// kernel returns none, the process ends, since nothing would be secure.
    package static func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(addingCapacity: count) { $0.append(repeating: 0, count: count) }
        for start in stride(from: 0, to: count, by: maximumChunk) {
            let status = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
                unsafe getentropy(bytes.baseAddress! + start, min(maximumChunk, count - start))
            }
            guard status == 0 else { fatalError("getentropy: the kernel returned no random bytes") }
        }
        return bytes
    }
}
