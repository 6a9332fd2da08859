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
        for (index, byte) in bytes.enumerated() { unsafe memory[index] = CChar(truncatingIfNeeded: byte) }
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

/// The statement as PostgreSQL writes it: `$1` for `?1`, and for `?` the number after the greatest one before it, as in
/// SQLite. Quoted text and comments stay as they are.
struct Placeholders {
    private(set) var text: [UInt8] = []
    /// The greatest number of a placeholder.
    private(set) var count = 0

    private let source: [UInt8]
    private var position = 0

    init(_ sql: String) {
        source = Array(sql.utf8)
        text.reserveCapacity(source.count + 32)
        while position < source.count { takeNext() }
    }

    private mutating func takeNext() {
        let byte = source[position]
        switch byte {
        case UInt8(ascii: "?"): takePlaceholder()
        case UInt8(ascii: "'"), UInt8(ascii: "\""): take(through: [byte], from: 1)
        case UInt8(ascii: "-") where isNext("-"): take(through: [10], from: 2)
        case UInt8(ascii: "/") where isNext("*"): take(through: Array("*/".utf8), from: 2)
        default: take(1)
        }
    }

    private func isNext(_ character: Unicode.Scalar) -> Bool {
        position + 1 < source.count && source[position + 1] == UInt8(ascii: character)
    }

    private mutating func take(_ bytes: Int) {
        text += source[position..<min(position + bytes, source.count)]
        position += bytes
    }

    /// Copies up to the end mark, or to the end of the statement. A doubled quote is the end of one quoted text and the
    /// beginning of the next.
    private mutating func take(through mark: [UInt8], from offset: Int) {
        take(offset)
        while position < source.count {
            if source[position...].starts(with: mark) { return take(mark.count) }
            take(1)
        }
    }

    private mutating func takePlaceholder() {
        position += 1
        var number = 0
        while position < source.count, (48...57).contains(source[position]) {
            number = number * 10 + Int(source[position] - 48)
            position += 1
        }
        if number == 0 { number = count + 1 }
        count = max(count, number)
        text += Array("$\(number)".utf8)
    }
}
