internal import COpenSSL
import Glibc

/// A failed OpenSSL call: its name and the reason from the error queue.
package struct OpenSSLError: Error, Equatable, Sendable, CustomStringConvertible {
    package let operation: String
    package let reason: String

    package var description: String { "\(operation): \(reason)" }

    /// Takes the latest reason from this thread's error queue and clears the queue, so that a later failure does not
    /// report this reason.
    static func drained(_ operation: String) -> OpenSSLError {
        let code = ERR_peek_last_error()
        let reason = unsafe ERR_reason_error_string(code).map { unsafe String(cString: $0) }
        ERR_clear_error()
        return OpenSSLError(operation: operation, reason: reason ?? "no reason given")
    }

    /// For failures after which the process cannot continue: no memory, or an unusable OpenSSL.
    static func trap(_ operation: String) -> Never {
        fatalError(drained(operation).description)
    }
}

extension [UInt8] {
    /// An array with the elements of a span.
    package init(copying bytes: Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }
}

extension StaticString {
    /// A pointer for C structures that store it instead of copying the name. The pointer to a `String` is only valid
    /// during a call. A literal is static, and the standard library guarantees that it is null-terminated.
    var cString: UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}

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
