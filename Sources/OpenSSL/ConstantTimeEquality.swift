internal import COpenSSL

/// Compares without telling by its duration how far the two agree. Their lengths are no secret: a difference is false
/// at once.
package func constantTimeEquals(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe CRYPTO_memcmp(left, right, left.count) == 0
}
