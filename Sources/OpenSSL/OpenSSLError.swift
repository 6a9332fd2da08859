internal import COpenSSL

/// A call into OpenSSL that failed: which one, and what its error queue had to say.
package struct OpenSSLError: Error, Equatable, Sendable, CustomStringConvertible {
    package let operation: String
    package let reason: String

    package var description: String { "\(operation): \(reason)" }

    /// Takes the latest reason off this thread's error queue and empties the queue, so that a failure of today is not
    /// reported as the reason of one tomorrow.
    static func drained(_ operation: String) -> OpenSSLError {
        let code = ERR_peek_last_error()
        let reason = unsafe ERR_reason_error_string(code).map { unsafe String(cString: $0) }
        ERR_clear_error()
        return OpenSSLError(operation: operation, reason: reason ?? "no reason given")
    }

    /// For the failures that leave a process nothing to go on with: no memory, or no OpenSSL worth the name.
    static func trap(_ operation: String) -> Never {
        fatalError(drained(operation).description)
    }
}
