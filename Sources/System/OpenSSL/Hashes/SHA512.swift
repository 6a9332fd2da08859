internal import COpenSSL

package enum SHA512 {
    package static let byteCount = 64

    package static func hash(_ text: String) -> [UInt8] {
        let bytes = text.utf8.span
        var hash = [UInt8](repeating: 0, count: byteCount)
        var span = hash.mutableSpan
        let status = unsafe bytes.withUnsafeBytes { input in
            unsafe span.withUnsafeMutableBytes { output in
                unsafe EVP_Digest(
                    input.baseAddress, input.count, output.baseAddress?.assumingMemoryBound(to: UInt8.self), nil,
                    MessageDigest.sha512.pointer, nil)
            }
        }
        guard status == 1 else { OpenSSLError.trap("EVP_Digest") }
        return hash
    }
}
