internal import COpenSSL

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
