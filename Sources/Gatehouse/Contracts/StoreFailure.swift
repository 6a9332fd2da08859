/// The store could not do what was asked, and did none of it. Never to be taken for "there is no such row".
package struct StoreFailure: Error, Sendable, CustomStringConvertible {
    /// For the log: names the fault, never a value.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
