/// Why a file is not to be relied on as a database of ours.
package struct DatabaseFault: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
