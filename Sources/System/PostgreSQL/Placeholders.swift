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
