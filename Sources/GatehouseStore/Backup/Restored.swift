/// What a restore has come to.
package struct Restored: Sendable {
    /// Where the database is now.
    package let path: String
    /// Where the one before it is; nil where there was none.
    package let kept: String?
    /// What is in it; sessions as they were before any was ended.
    package let summary: DatabaseSummary
    /// Steps of the schema that it lacked.
    package let migrations: [String]
    package let sessionsEnded: Int
    /// Nil where there was no database before, or one that cannot be read.
    package let gap: RestoreGap?
}
