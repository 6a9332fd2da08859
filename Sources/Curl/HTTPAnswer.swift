/// What a server answered, whatever its status.
package struct HTTPAnswer: Sendable {
    package let status: Int
    package let body: [UInt8]
}
