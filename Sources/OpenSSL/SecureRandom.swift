import Glibc

package enum SecureRandom {
    /// What the kernel gives at once.
    private static let portion = 256

    /// Unpredictable bytes, from where OpenSSL's own generator has its seed: for the few that an id needs, that one takes
    /// three times as long. Without them nothing here can be safe, so a kernel that has none ends the process.
    package static func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(addingCapacity: count) { $0.append(repeating: 0, count: count) }
        for start in stride(from: 0, to: count, by: portion) {
            let status = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
                unsafe getentropy(bytes.baseAddress! + start, min(portion, count - start))
            }
            guard status == 0 else { fatalError("getentropy: the kernel gives no random bytes") }
        }
        return bytes
    }
}
