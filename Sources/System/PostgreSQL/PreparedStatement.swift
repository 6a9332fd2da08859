/// A statement with the name under which the server has it.
@safe
final class PreparedStatement {
    let sql: String
    let parameters: Int
    /// With zero bytes at the end, for libpq.
    let text: UnsafeMutablePointer<CChar>
    let name: UnsafeMutablePointer<CChar>

    /// The request to prepare it was sent, and has not failed.
    var isPrepared = false

    /// The next statement in the same bucket of `PreparedStatements`.
    var next: PreparedStatement?

    init(_ sql: String, number: Int) {
        self.sql = sql
        let translated = Placeholders(sql)
        parameters = translated.count
        unsafe text = Self.allocate(translated.text)
        unsafe name = Self.allocate(Array("s\(number)".utf8))
    }

    deinit {
        unsafe text.deallocate()
        unsafe name.deallocate()
    }

    private static func allocate(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar> {
        let memory = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
        for (index, byte) in bytes.enumerated() { unsafe memory[index] = CChar(bitPattern: byte) }
        unsafe memory[bytes.count] = 0
        return unsafe memory
    }
}

/// The statements of a connection by SQL text.
///
/// The bucket is the length of the text, which differs for nearly all statements of this program: hashing hundreds of
/// bytes would take longer than the rest of the lookup. Comparing a literal with itself is fast, since Swift compares
/// addresses.
struct PreparedStatements {
    private var buckets = [PreparedStatement?](repeating: nil, count: 256)
    /// A name is never used again: the server refuses a name that it knows.
    private var names = 0

    mutating func statement(_ sql: String) -> PreparedStatement {
        let index = sql.utf8.count & 255
        var candidate = buckets[index]
        while let statement = candidate {
            if statement.sql == sql { return statement }
            candidate = statement.next
        }
        names += 1
        let statement = PreparedStatement(sql, number: names)
        statement.next = buckets[index]
        buckets[index] = statement
        return statement
    }

    /// A statement gets another name when it is used again.
    mutating func forgetAll() { buckets = buckets.map { _ in nil } }
}
