/// A statement's text, by which it is found again.
///
/// The texts are our own, and hardly two are of one length: it serves as the hash. To hash hundreds of bytes costs more
/// than all the rest of looking one up. That a text equals itself, Swift sees by its address.
struct StatementText: Hashable {
    private let sql: String

    init(_ sql: String) {
        self.sql = sql
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(sql.utf8.count)
    }
}
