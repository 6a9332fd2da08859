/// Bytes that are kept under a name in the database.
package struct Document: Sendable, Equatable {
    package let content: [UInt8]
    /// Of a key set: when it was last fetched.
    package let updatedAt: Timestamp

    package init(content: [UInt8], updatedAt: Timestamp) {
        (self.content, self.updatedAt) = (content, updatedAt)
    }
}
