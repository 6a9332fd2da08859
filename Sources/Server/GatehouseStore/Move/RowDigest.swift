import OpenSSL

/// The number of a table's rows, and a hash over them in the order of the key. Both databases encode values alike, so
/// the same rows give the same hash.
struct TableContent: Sendable, Equatable {
    let count: Int64
    let hash: [UInt8]
}

struct RowDigest {
    private var count: Int64 = 0
    private var state = SHA256State()

    /// - Parameter row: encoded. The encoding also separates it from the next row.
    mutating func add(_ row: Span<UInt8>) {
        state.update(row)
        count += 1
    }

    var content: TableContent { TableContent(count: count, hash: Array(copying: state.finish().span)) }
}
