internal import COpenSSL

/// Compares without telling by its duration how far the two agree. Their lengths are no secret: a difference is false
/// at once.
package func constantTimeEquals(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    constantTimeEquals(left.span, right.span)
}

package func constantTimeEquals(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe left.withUnsafeBytes { left in
        unsafe right.withUnsafeBytes { right in
            unsafe CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
        }
    }
}
