internal import COpenSSL

package enum SHA256 {
    package static let byteCount = 32

    package static func hash(_ bytes: [UInt8]) -> [UInt8] { hash(bytes.span) }

    package static func hash(_ bytes: ArraySlice<UInt8>) -> [UInt8] { hash(bytes.span) }

    package static func hash(_ text: String) -> [UInt8] { hash(text.utf8.span) }

    package static func hash(_ bytes: Span<UInt8>) -> [UInt8] {
        var state = SHA256State()
        state.update(bytes)
        return Array(copying: state.finish().span)
    }
}

/// An incremental SHA-256 computation. Since it can be copied, a common prefix of many messages is hashed only once.
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
