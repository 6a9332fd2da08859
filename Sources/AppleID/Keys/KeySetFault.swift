/// Why there is no set to be had.
package struct KeySetFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// For the log.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
