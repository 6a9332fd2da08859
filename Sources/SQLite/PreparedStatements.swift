/// Statements by their texts.
///
/// The texts are our own, and hardly two are of one length: it says where to look. To hash hundreds of bytes costs more
/// than all the rest of looking one up. That a text equals itself, Swift sees by its address.
struct PreparedStatements {
    private var shelves = [Statement?](repeating: nil, count: 256)

    func find(_ sql: String) -> Statement? {
        var candidate = shelves[sql.utf8.count & 255]
        while let statement = candidate, statement.sql != sql { candidate = statement.next }
        return candidate
    }

    mutating func keep(_ statement: Statement) {
        let place = statement.sql.utf8.count & 255
        statement.next = shelves[place]
        shelves[place] = statement
    }
}
