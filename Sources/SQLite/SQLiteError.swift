/// What SQLite said went wrong. Its message names tables and columns, never a bound value.
package struct SQLiteError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The extended result code; faults are told apart by it and never by the text.
    package let code: Int32
    package let message: String

    package init(code: Int32, message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { "SQLite \(code): \(message)" }

    /// SQLITE_CORRUPT or SQLITE_NOTADB: the file itself is at fault.
    package var isDamage: Bool { [11, 26].contains(code & 0xFF) }

    /// SQLITE_BUSY, of whatever kind: somebody else has a lock.
    package var isBusy: Bool { code & 0xFF == 5 }
}
