internal import COpenSSL

/// SHA-256 under way. A copy goes on by itself, so that a beginning that many messages share is hashed once.
struct SHA256State {
    typealias Hash = InlineArray<32, UInt8>

    private var context = SHA256_CTX()

    init() {
        guard unsafe sha256_begin(&context) == 1 else { OpenSSLError.trap("SHA256_Init") }
    }

    mutating func update(_ bytes: Span<UInt8>) {
        let status = unsafe bytes.withUnsafeBytes { unsafe sha256_update(&context, $0.baseAddress, $0.count) }
        guard status == 1 else { OpenSSLError.trap("SHA256_Update") }
    }

    consuming func finish() -> Hash {
        var hash = Hash(repeating: 0)
        var bytes = hash.mutableSpan
        let status = unsafe bytes.withUnsafeMutableBytes { output in
            unsafe sha256_finish(output.baseAddress?.assumingMemoryBound(to: UInt8.self), &context)
        }
        guard status == 1 else { OpenSSLError.trap("SHA256_Final") }
        return hash
    }
}
