/// Many values in one array, which the statement casts: `?1::text[]`.
package enum Parameter: Sendable {
    case texts([String?])
    case integers([Int64?])
    case blobs([[UInt8]?])
}

extension Parameter {
    /// An upper bound of the bytes that the array needs in a `ParameterBuffer`.
    var room: Int {
        switch self {
        case .texts(let texts): texts.reduce(ArrayHeader.size) { $0 + 4 + ($1?.utf8.count ?? 0) }
        case .blobs(let blobs): blobs.reduce(ArrayHeader.size) { $0 + 4 + ($1?.count ?? 0) }
        case .integers(let numbers): ArrayHeader.size + numbers.count * 12
        }
    }
}

/// What precedes the elements of an array in binary format.
enum ArrayHeader {
    static let size = 20

    /// Object identifiers of the types, which are fixed in PostgreSQL's catalog.
    static let bytea: Int32 = 17
    static let int8: Int32 = 20
    static let text: Int32 = 25
}
