import SQL

/// An error of SQLite. Its message names tables and columns, never a bound value.
package struct SQLiteError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The extended result code. Errors are distinguished by it, never by the text.
    package let code: Int32
    package let message: String

    package init(code: Int32, message: String) {
        self.code = code
        self.message = message
    }

    /// Everything that runs on a connection throws one of these two. Another error would be a mistake in this program.
    package init(_ error: any Error) {
        self =
            switch error {
            case let error as SQLiteError: error
            // SQLITE_CORRUPT
            case let error as UnreadableValue: SQLiteError(code: 11, message: error.description)
            default: SQLiteError(code: 1, message: String(reflecting: type(of: error)))
            }
    }

    package var description: String { "SQLite \(code): \(message)" }

    /// SQLITE_CORRUPT or SQLITE_NOTADB: the database file is damaged.
    package var isDamage: Bool { [11, 26].contains(code & 0xFF) }

    /// SQLITE_BUSY or one of its extended codes: another connection holds a lock.
    package var isBusy: Bool { code & 0xFF == 5 }
}
