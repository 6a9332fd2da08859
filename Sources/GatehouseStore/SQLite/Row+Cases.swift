import SQLite

extension Row {
    /// One of the known words of a column. Any other is a damaged or foreign database, and never a default.
    func `case`<Word: RawRepresentable<String>>(_: Word.Type, at column: Int32) throws(SQLiteError) -> Word {
        guard let word = Word(rawValue: text(column)) else {
            throw SQLiteError(code: 11, message: "a column of \(Word.self) holds a word that is none")
        }
        return word
    }

    /// The same for a column that may be empty.
    func optionalCase<Word: RawRepresentable<String>>(
        _: Word.Type, at column: Int32
    ) throws(SQLiteError) -> Word? {
        optionalText(column) == nil ? nil : try self.case(Word.self, at: column)
    }
}
