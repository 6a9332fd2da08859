/// Why a key was refused. No case carries key material.
package enum KeyError: Error, Equatable, Sendable {
    /// An RSA modulus of this many bits: fewer than 2048 are weak, more than 8192 only serve to keep us busy.
    case modulusSize(bits: Int)
    /// An RSA modulus that is even, and so is no product of two large primes.
    case evenModulus
    /// An RSA exponent that is even, below 3 or longer than eight bytes.
    case exponent
    /// A coordinate, point or seed of this many bytes where the curve has another length.
    case length(bytes: Int)
    /// Not a point of the curve.
    case point
    /// No private key in PEM could be read from the text.
    case notPEM
    /// The PEM is encrypted; a service has nobody to ask for its passphrase.
    case encrypted
    /// A readable key of a kind that is not used here, such as RSA-PSS or a curve other than P-256.
    case unsupported(kind: String)
    /// The halves of the key pair do not belong together.
    case inconsistent
    /// OpenSSL refused it for reasons of its own.
    case failed(OpenSSLError)
}

extension KeyError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .modulusSize(let bits): "an RSA key of \(bits) bits (2048 to 8192 are accepted)"
        case .evenModulus: "an RSA key with an even modulus"
        case .exponent: "an RSA key with an unacceptable exponent"
        case .length(let bytes): "a key part of \(bytes) bytes has the wrong length"
        case .point: "a point that is not on the curve"
        case .notPEM: "not a private key in PEM"
        case .encrypted: "the private key is encrypted"
        case .unsupported(let kind): "a key of kind \(kind) (RSA, P-256 and Ed25519 are accepted)"
        case .inconsistent: "the private and the public half do not belong together"
        case .failed(let error): error.description
        }
    }
}
