internal import COpenSSL

package enum SecureRandom {
    /// Unpredictable bytes. Without them nothing here can be safe, so a generator that fails ends the process.
    package static func bytes(_ count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { output, initialized in
            guard unsafe RAND_bytes(output.baseAddress, Int32(count)) == 1 else { OpenSSLError.trap("RAND_bytes") }
            initialized = count
        }
    }
}
