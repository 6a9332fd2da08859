import SQL

/// Where the columns of the current row are.
@safe
struct CopiedFields {
    fileprivate private(set) var bytes = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    /// Nil for NULL.
    fileprivate private(set) var columns: [Range<Int>?] = []
    private var position = 0

    /// The first message begins with this, flags, and the length of an extension.
    private static let signature = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0x00]

    /// Reads the places of a row's columns: their number, and each column after its length. False if the message has no
    /// row. The message must live as long as the row is read.
    mutating func parse(_ message: borrowing CopiedMessage) throws(PostgreSQLError) -> Bool {
        unsafe bytes = message.bytes
        position = 0
        columns.removeAll(keepingCapacity: true)
        if unsafe bytes.starts(with: Self.signature) {
            position = Self.signature.count + 4
            position += try length()
        }
        guard unsafe position < bytes.count else { return false }
        let count = Int(try integer(Int16.self))
        // The end of the rows.
        if count == -1 { return false }
        for _ in 0..<count {
            let length = try length()
            columns.append(length < 0 ? nil : position..<position + length)
            position += max(0, length)
        }
        guard unsafe position <= bytes.count else { throw .unexpected }
        return true
    }

    private mutating func length() throws(PostgreSQLError) -> Int { Int(try integer(Int32.self)) }

    private mutating func integer<Number: FixedWidthInteger>(_: Number.Type) throws(PostgreSQLError) -> Number {
        let size = MemoryLayout<Number>.size
        guard unsafe position + size <= bytes.count else { throw .unexpected }
        defer { position += size }
        return unsafe Number(bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: Number.self))
    }
}

/// A row of a copy.
@safe
struct CopiedRow: BinaryRow, ~Copyable {
    private let fields: CopiedFields

    init(_ fields: CopiedFields) {
        self.fields = fields
    }

    func bytes(_ column: Int32) -> UnsafeRawBufferPointer? {
        guard let range = fields.columns[Int(column)] else { return nil }
        return unsafe UnsafeRawBufferPointer(rebasing: fields.bytes[range])
    }
}
