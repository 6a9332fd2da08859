package import SQL

/// A parameter of a statement: a value, or many in one array. The statement casts an array: `?1::text[]`.
package enum Parameter: Sendable {
    case value(Value)
    case texts([String?])
    case integers([Int64?])
    case blobs([[UInt8]?])
    case flags([Bool?])

    package static let null = Parameter.value(.null)
    package static func integer(_ number: Int64) -> Parameter { .value(.integer(number)) }
    package static func text(_ text: String) -> Parameter { .value(.text(text)) }
    package static func blob(_ bytes: [UInt8]) -> Parameter { .value(.blob(bytes)) }
    package static func flag(_ isSet: Bool) -> Parameter { .value(.flag(isSet)) }
}

extension Value {
    /// An upper bound of the bytes that the value needs in a `ParameterBuffer`.
    var room: Int {
        switch self {
        case .null: 0
        case .integer: 21
        case .text(let text): text.utf8.count + 1
        // An empty blob has an address too: libpq would send a null pointer as NULL.
        case .blob(let bytes): bytes.count + 1
        }
    }
}

extension Parameter {
    var room: Int {
        switch self {
        case .value(let value): value.room
        case .texts(let texts): texts.reduce(ArrayHeader.size) { $0 + 4 + ($1?.utf8.count ?? 0) }
        case .blobs(let blobs): blobs.reduce(ArrayHeader.size) { $0 + 4 + ($1?.count ?? 0) }
        case .integers(let numbers): ArrayHeader.size + numbers.count * 12
        case .flags(let flags): ArrayHeader.size + flags.count * 5
        }
    }
}

/// What precedes the elements of an array in binary format.
enum ArrayHeader {
    static let size = 20

    /// Object identifiers of the types, which are fixed in PostgreSQL's catalog.
    static let bool: Int32 = 16
    static let bytea: Int32 = 17
    static let int8: Int32 = 20
    static let text: Int32 = 25
}
