package import Gatehouse

/// What is in a database that was found whole.
package struct DatabaseSummary: Sendable, Equatable {
    package let schema: Int
    /// Without those who are deleted.
    package let users: Int64
    /// Those that have not ended.
    package let sessions: Int64
    /// When the last thing happened that it knows of; nil where nothing has.
    package let latest: Timestamp?
}
