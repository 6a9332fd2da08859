/// A document that is the same for everybody and for as long as this process runs.
package struct PublishedDocument: Sendable {
    package let bytes: [UInt8]
    /// Names these bytes and no others (RFC 9110, section 8.8.3); without the quotes around it.
    package let tag: String

    package init(bytes: [UInt8], tag: String) {
        self.bytes = bytes
        self.tag = tag
    }
}
