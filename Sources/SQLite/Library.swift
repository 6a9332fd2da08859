internal import CSQLite

/// What holds for every connection of this process.
enum Library {
    static let pagesAtOnce: Int32 = 16

    /// Settles it, once and before the first connection: SQLite takes it no later, and then goes on as it was.
    ///
    /// Left to itself, SQLite counts all of its memory behind one lock, at which all threads meet, and asks malloc for each
    /// page alone.
    static let setUp: Void = {
        _ = gatehouse_count_memory(0)
        _ = gatehouse_pages_at_once(pagesAtOnce)
    }()
}
