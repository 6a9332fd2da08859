import Glibc

package enum SecureRandom {
    /// What the kernel gives at once.
    private static let portion = 256

    /// Unpredictable bytes, from where OpenSSL's own generator has its seed: for the few that an id needs, that one takes
    /// three times as long. Without them nothing here can be safe, so a kernel that has none ends the process.
    package static func bytes(_ count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { output, initialized in
            while initialized < count {
                let next = min(count - initialized, portion)
                guard let start = output.baseAddress, unsafe getentropy(start + initialized, next) == 0 else {
                    fatalError("getentropy: the kernel gives no random bytes")
                }
                initialized += next
            }
        }
    }
}
