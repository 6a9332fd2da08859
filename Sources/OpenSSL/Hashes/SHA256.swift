internal import COpenSSL

package enum SHA256 {
    package static let byteCount = 32

    package static func hash(_ bytes: [UInt8]) -> [UInt8] { hash(bytes.span) }

    package static func hash(_ bytes: ArraySlice<UInt8>) -> [UInt8] { hash(bytes.span) }

    package static func hash(_ text: String) -> [UInt8] { hash(text.utf8.span) }

    package static func hash(_ bytes: Span<UInt8>) -> [UInt8] {
        let digest = MessageDigest.sha256
        return unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { output, count in
            let status = unsafe bytes.withUnsafeBytes { input in
                unsafe EVP_Digest(input.baseAddress, input.count, output.baseAddress, nil, digest.pointer, nil)
            }
            guard status == 1 else { OpenSSLError.trap("EVP_Digest") }
            count = byteCount
        }
    }
}
