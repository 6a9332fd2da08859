/// Why a key was rejected. No case contains key material.
package enum KeyError: Error, Equatable, Sendable {
    /// An RSA modulus of this size: fewer than 2048 bits are weak, and more than 8192 only make verification slow.
    case modulusSize(bits: Int)
    /// An even RSA modulus, which cannot be the product of two large primes.
    case evenModulus
    /// An RSA exponent that is even, below 3 or longer than eight bytes.
    case exponent
    /// A coordinate, point or seed whose length does not fit the curve.
    case length(bytes: Int)
    /// Not a point on the curve.
    case point
    /// The text contains no private key in PEM.
    case notPEM
    /// The PEM is encrypted, and a service cannot ask for a passphrase.
    case encrypted
    /// A valid key of a type that is not supported, such as RSA-PSS or a curve other than P-256.
    case unsupported(kind: String)
    /// The private key does not belong to the public key.
    case inconsistent
    /// OpenSSL rejected the key.
    case failed(OpenSSLError)
}

extension KeyError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .modulusSize(let bits): "an RSA key of \(bits) bits (2048 to 8192 are accepted)"
        case .evenModulus: "an RSA key with an even modulus"
        case .exponent: "an RSA key with an unacceptable exponent"
        case .length(let bytes): "a part of the key has the wrong length (\(bytes) bytes)"
        case .point: "a point that is not on the curve"
        case .notPEM: "not a private key in PEM"
        case .encrypted: "the private key is encrypted"
        case .unsupported(let kind): "a key of type \(kind) (RSA, P-256 and Ed25519 are accepted)"
        case .inconsistent: "the private key does not belong to the public key"
        case .failed(let error): error.description
        }
    }
}
