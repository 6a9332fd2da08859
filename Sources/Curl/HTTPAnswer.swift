/// What a server answered, whatever its status.
package struct HTTPAnswer: Sendable {
    package let status: Int
    /// The server's clock, as it is written in the head.
    package let date: String?
    package let body: [UInt8]
}
