/// A value in CBOR (RFC 8949), as far as WebAuthn uses it: no tags, no floats, no `undefined`, and integers of 64 bits.
package enum CBOR: Equatable, Sendable {
    case integer(Int64)
    case bytes([UInt8])
    case text(String)
    case array([CBOR])
    case map([Entry])
    case bool(Bool)
    case null

    package struct Entry: Equatable, Sendable {
        /// An integer or a text.
        package let key: CBOR
        package let value: CBOR

        package init(_ key: CBOR, _ value: CBOR) {
            (self.key, self.value) = (key, value)
        }
    }

    package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

    package var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }

    package var text: String? { if case .text(let value) = self { value } else { nil } }

    package var map: [Entry]? { if case .map(let value) = self { value } else { nil } }

    /// The value of a key in a map; nil if it is missing, or if this is no map.
    package subscript(_ key: CBOR) -> CBOR? { map?.first { $0.key.isIdentical(to: key) }?.value }

    /// Texts are compared by their bytes, not by canonical equivalence.
    fileprivate func isIdentical(to other: CBOR) -> Bool {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): left == right
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        default: false
        }
    }
}

extension CBOR: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral {
    package init(integerLiteral value: Int64) { self = .integer(value) }

    package init(stringLiteral value: String) { self = .text(value) }
}

// MARK: - Reading

extension CBOR {
    /// Reads a value that must be all of `bytes`.
    package init(parsing bytes: [UInt8]) throws(CBORFault) {
        var reader = CBORReader(bytes)
        self = try reader.value()
        guard reader.position == bytes.count else { throw .trailingBytes }
    }
}

/// Why bytes are not accepted as CBOR.
package enum CBORFault: String, Error, Sendable {
    case truncated = "ends within a value"
    case trailingBytes = "has bytes after the value"
    case depth = "is nested too deeply"
    case size = "has too many elements"
    case length = "has a length or a number that is not in its shortest form, indefinite, or beyond 64 bits"
    case unsupported = "has a tag, a float or another value that WebAuthn does not use"
    case text = "has a text that is not UTF-8"
    case key = "has a key that is neither an integer nor a text"
    case duplicateKey = "has a key twice"
}

/// Reads CBOR that the sender of a request may have chosen, so nothing is allocated for a length that the input does not
/// have, and nesting and comparisons are bounded.
///
/// Of the canonical form of CTAP2 it demands definite lengths, the shortest form of every length and number, unique keys and
/// no tags. It does not demand the order of keys, which some authenticators miss and which changes no meaning, and it allows
/// a depth of 8 where CTAP2 allows 4, because an attestation statement may contain statements.
struct CBORReader {
    static let maximumDepth = 8
    /// Elements of an array, and entries of a map, whose keys are compared with each other. Nothing that WebAuthn describes
    /// has half as many.
    static let maximumCount = 64

    private let bytes: [UInt8]
    private(set) var position: Int

    init(_ bytes: [UInt8], at position: Int = 0) {
        (self.bytes, self.position) = (bytes, position)
    }

    mutating func value(depth: Int = 0) throws(CBORFault) -> CBOR {
        let (type, argument) = try head()
        switch type {
        case 0: return .integer(try Self.signed(argument))
        case 1: return .integer(-1 - (try Self.signed(argument)))
        case 2: return .bytes(Array(try take(argument)))
        case 3: return .text(try text(argument))
        case 4: return .array(try array(argument, depth + 1))
        case 5: return .map(try map(argument, depth + 1))
        case 7 where argument == 20 || argument == 21: return .bool(argument == 21)
        case 7 where argument == 22: return .null
        default: throw .unsupported
        }
    }

    /// The type and the number that begin each value (RFC 8949, section 3).
    private mutating func head() throws(CBORFault) -> (type: UInt8, argument: UInt64) {
        guard let first = try take(1).first else { throw .truncated }
        let (type, short) = (first >> 5, first & 0x1F)
        guard short >= 24 else { return (type, UInt64(short)) }
        // A float, or a simple value that has no short form.
        guard type != 7 else { throw .unsupported }
        guard short < 28 else { throw .length }
        let count = 1 << (short - 24)
        let argument = try take(UInt64(count)).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        let shorter: UInt64 = count == 1 ? 24 : 1 << (count * 4)
        guard argument >= shorter else { throw .length }
        return (type, argument)
    }

    private mutating func take(_ count: UInt64) throws(CBORFault) -> ArraySlice<UInt8> {
        guard count <= UInt64(bytes.count - position) else { throw .truncated }
        let start = position
        position += Int(count)
        return bytes[start..<position]
    }

    private static func signed(_ argument: UInt64) throws(CBORFault) -> Int64 {
        guard let value = Int64(exactly: argument) else { throw .length }
        return value
    }

    private mutating func text(_ count: UInt64) throws(CBORFault) -> String {
        guard let text = String(validating: try take(count), as: UTF8.self) else { throw .text }
        return text
    }

    private mutating func array(_ count: UInt64, _ depth: Int) throws(CBORFault) -> [CBOR] {
        var elements: [CBOR] = []
        for _ in 0..<(try elementCount(count, depth)) { elements.append(try value(depth: depth)) }
        return elements
    }

    private mutating func map(_ count: UInt64, _ depth: Int) throws(CBORFault) -> [CBOR.Entry] {
        var entries: [CBOR.Entry] = []
        for _ in 0..<(try elementCount(count, depth)) {
            let key = try value(depth: depth)
            guard key.integer != nil || key.text != nil else { throw .key }
            guard !entries.contains(where: { $0.key.isIdentical(to: key) }) else { throw .duplicateKey }
            entries.append(CBOR.Entry(key, try value(depth: depth)))
        }
        return entries
    }

    private func elementCount(_ count: UInt64, _ depth: Int) throws(CBORFault) -> Int {
        guard depth <= Self.maximumDepth else { throw .depth }
        guard count <= UInt64(Self.maximumCount) else { throw .size }
        return Int(count)
    }
}

// MARK: - Writing

extension CBOR {
    /// The canonical form of CTAP2: the shortest form of everything, and keys in the order of their bytes.
    package var encoded: [UInt8] {
        switch self {
        case .integer(let value): value < 0 ? Self.head(1, UInt64(-1 - value)) : Self.head(0, UInt64(value))
        case .bytes(let bytes): Self.head(2, UInt64(bytes.count)) + bytes
        case .text(let text): Self.head(3, UInt64(text.utf8.count)) + Array(text.utf8)
        case .array(let elements): Self.head(4, UInt64(elements.count)) + elements.flatMap(\.encoded)
        case .map(let entries): Self.head(5, UInt64(entries.count)) + Self.sorted(entries)
        case .bool(let value): [value ? 0xF5 : 0xF4]
        case .null: [0xF6]
        }
    }

    private static func sorted(_ entries: [Entry]) -> [UInt8] {
        entries.map { ($0.key.encoded, $0.value.encoded) }.sorted { $0.0.lexicographicallyPrecedes($1.0) }
            .flatMap { $0.0 + $0.1 }
    }

    private static func head(_ type: UInt8, _ argument: UInt64) -> [UInt8] {
        guard argument >= 24 else { return [type << 5 | UInt8(argument)] }
        let power = argument < 0x100 ? 0 : argument < 0x1_0000 ? 1 : argument < 0x1_0000_0000 ? 2 : 3
        let bytes = (0..<(1 << power)).reversed().map { UInt8(truncatingIfNeeded: argument >> ($0 * 8)) }
        return [type << 5 | UInt8(24 + power)] + bytes
    }
}
