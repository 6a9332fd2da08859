/// Why an operation of the store failed.
package struct StoreFailure: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Cause: Sendable, Equatable, CaseIterable {
        case full
        case busy
        case readOnly
        case damaged
        case unreadable
        case unwritable
        /// The file of the database was removed or replaced while it is open.
        case displaced
        /// A database server that cannot be reached, does not answer, or is no primary.
        case unreachable
        /// The user, the password or a privilege is refused.
        case denied
        case other
    }

    /// For the log. It never contains a value of a row.
    package let description: String
    package let cause: Cause

    package init(_ description: String, cause: Cause = .other) {
        (self.description, self.cause) = (description, cause)
    }
}
