import OpenSSL
import SQL

/// The number of a table's rows, and a hash over their values in the order of the key. Both databases yield the same for
/// the same values, since nothing of their files or formats is in it.
struct TableContent: Sendable, Equatable {
    let count: Int64
    let hash: [UInt8]
}

/// Hashes rows one after the other: each part of about 64 KiB together with the hash of the parts before it.
struct RowDigest {
    private static let partSize = 1 << 16

    private var count: Int64 = 0
    private var part: [UInt8] = []

    init() {
        part.reserveCapacity(Self.partSize + 4096)
    }

    mutating func add(_ values: [Value]) {
        for value in values { add(value) }
        count += 1
        if part.count >= Self.partSize { part = SHA256.hash(part) }
    }

    var content: TableContent { TableContent(count: count, hash: SHA256.hash(part)) }

    /// The kind and the length come first, so that no two rows have the same bytes.
    private mutating func add(_ value: Value) {
        switch value {
        case .null: part.append(0)
        case .integer(let number):
            part.append(1)
            add(UInt64(bitPattern: number))
        case .text(let text):
            part.append(2)
            add(UInt64(text.utf8.count))
            part.append(contentsOf: text.utf8)
        case .blob(let bytes):
            part.append(3)
            add(UInt64(bytes.count))
            part.append(contentsOf: bytes)
        }
    }

    private mutating func add(_ number: UInt64) {
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            part.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}
