/// Bytes that somebody else published.
package struct Document: Sendable, Equatable {
    package let content: [UInt8]
    /// When they were published for the last time that we know of.
    package let updatedAt: Timestamp

    package init(content: [UInt8], updatedAt: Timestamp) {
        self.content = content
        self.updatedAt = updatedAt
    }
}
