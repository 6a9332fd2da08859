import Gatehouse
import SQL

typealias AnyRow = any SQLRow & ~Copyable

/// A type of members that one column holds.
protocol ColumnValue {
    static var kind: ColumnKind { get }
    static func read(_ row: borrowing AnyRow, _ column: Int32) throws -> Self
    /// Nil for NULL.
    static func readOptional(_ row: borrowing AnyRow, _ column: Int32) throws -> Self?
    var value: Value { get }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
    static var kind: ColumnKind { Wrapped.kind }
    static func read(_ row: borrowing AnyRow, _ column: Int32) throws -> Wrapped? {
        try Wrapped.readOptional(row, column)
    }
    static func readOptional(_ row: borrowing AnyRow, _ column: Int32) throws -> Wrapped?? {
        try Wrapped.readOptional(row, column)
    }
    var value: Value { self?.value ?? .null }
}

extension String: ColumnValue {
    static var kind: ColumnKind { .text }
    static func read(_ row: borrowing AnyRow, _ column: Int32) -> String { row.text(column) }
    static func readOptional(_ row: borrowing AnyRow, _ column: Int32) -> String? { row.optionalText(column) }
    var value: Value { .text(self) }
}

extension Int64: ColumnValue {
    static var kind: ColumnKind { .number }
    static func read(_ row: borrowing AnyRow, _ column: Int32) -> Int64 { row.integer(column) }
    static func readOptional(_ row: borrowing AnyRow, _ column: Int32) -> Int64? { row.optionalInteger(column) }
    var value: Value { .integer(self) }
}

extension Bool: ColumnValue {
    static var kind: ColumnKind { .flag }
    static func read(_ row: borrowing AnyRow, _ column: Int32) -> Bool { row.integer(column) != 0 }
    static func readOptional(_ row: borrowing AnyRow, _ column: Int32) -> Bool? { row.optionalFlag(column) }
    var value: Value { .flag(self) }
}

extension Int: ConvertedValue {
    static func restored(_ stored: Int64) -> Int { Int(stored) }
    var stored: Int64 { Int64(self) }
}

extension [UInt8]: ColumnValue {
    static var kind: ColumnKind { .blob }
    static func read(_ row: borrowing AnyRow, _ column: Int32) -> [UInt8] { row.blob(column) }
    static func readOptional(_ row: borrowing AnyRow, _ column: Int32) -> [UInt8]? { row.optionalBlob(column) }
    var value: Value { .blob(self) }
}

// MARK: - Types of the domain

/// A type that is stored as a simpler one.
protocol ConvertedValue: ColumnValue {
    associatedtype Stored: ColumnValue
    static func restored(_ stored: Stored) throws -> Self
    var stored: Stored { get }
}

extension ConvertedValue {
    static var kind: ColumnKind { Stored.kind }
    static func read(_ row: borrowing AnyRow, _ column: Int32) throws -> Self { try restored(.read(row, column)) }
    static func readOptional(_ row: borrowing AnyRow, _ column: Int32) throws -> Self? {
        try Stored.readOptional(row, column).map(restored)
    }
    var value: Value { stored.value }
}

extension Timestamp: ConvertedValue {
    static func restored(_ stored: Int64) -> Timestamp { Timestamp(milliseconds: stored) }
    var stored: Int64 { milliseconds }
}

extension UserID: ConvertedValue {
    static func restored(_ stored: String) -> UserID { UserID(stored) }
    var stored: String { text }
}

extension SessionID: ConvertedValue {
    static func restored(_ stored: String) -> SessionID { SessionID(stored) }
    var stored: String { text }
}

extension Attributes: ConvertedValue {
    static func restored(_ stored: String) -> Attributes { Attributes(canonical: stored) }
    var stored: String { json }
}

extension CodeChannel: ConvertedValue {
    static func restored(_ stored: Provider) throws -> CodeChannel {
        guard let channel = CodeChannel(stored) else {
            throw UnreadableValue("a provider whose identities are not proven by codes")
        }
        return channel
    }
    var stored: Provider { provider }
}

/// One of a fixed set of words. Another word means a damaged or foreign database, and must not become a default.
extension ConvertedValue where Self: RawRepresentable<String> {
    @inline(__always)
    static func restored(_ stored: String) throws -> Self {
        guard let word = Self(rawValue: stored) else {
            throw UnreadableValue("a column holds a word that is not one of \(Self.self)")
        }
        return word
    }
    var stored: String { rawValue }
}

extension Provider: ConvertedValue {}
extension AuditEntry.Kind: ConvertedValue {}
extension AuditEntry.Actor: ConvertedValue {}
extension AppleTask.Kind: ConvertedValue {}
extension EventType: ConvertedValue {}
extension RevokeReason: ConvertedValue {}
extension Role: ConvertedValue {}
extension UserStatus: ConvertedValue {}

extension SQLRow where Self: ~Copyable {
    /// A column with one of a fixed set of words. Another word means a damaged or foreign database, and
    /// must not become a default.
    @inline(__always)
    func `case`<Word: RawRepresentable<String>>(_: Word.Type, at column: Int32) throws -> Word {
        guard let word = Word(rawValue: text(column)) else {
            throw UnreadableValue("a column holds a word that is not one of \(Word.self)")
        }
        return word
    }

    /// The same for a column that may be NULL.
    func optionalCase<Word: RawRepresentable<String>>(_: Word.Type, at column: Int32) throws -> Word? {
        optionalText(column) == nil ? nil : try self.case(Word.self, at: column)
    }

    func timestamp(_ column: Int32) -> Timestamp { Timestamp(milliseconds: integer(column)) }

    func optionalTimestamp(_ column: Int32) -> Timestamp? {
        optionalInteger(column).map(Timestamp.init(milliseconds:))
    }
}
