import OpenSSL

/// The number of a table's rows, and a hash over them in the order of the key. Both databases yield the same for the same
/// values, since they encode them alike.
struct TableContent: Sendable, Equatable {
    let count: Int64
    let hash: [UInt8]
}

struct RowDigest {
    private var count: Int64 = 0
    private var state = SHA256State()

    /// - Parameter row: encoded, which also separates it from the next one.
    mutating func add(_ row: Span<UInt8>) {
        state.update(row)
        count += 1
    }

    var content: TableContent { TableContent(count: count, hash: Array(copying: state.finish().span)) }
}
