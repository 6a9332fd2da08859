package import Gatehouse

/// Where the last good key set is kept across restarts.
package protocol KeySetStorage: Sendable {
    /// Nil also when the storage fails.
    func load(_ name: String) -> SavedKeySet?

    /// False when the storage fails.
    func save(_ keySet: SavedKeySet, as name: String) -> Bool
}

/// A key set as it was published.
package struct SavedKeySet: Sendable, Equatable {
    package let content: [UInt8]
    /// When it was last fetched.
    package let updatedAt: Timestamp

    package init(content: [UInt8], updatedAt: Timestamp) {
        self.content = content
        self.updatedAt = updatedAt
    }
}
