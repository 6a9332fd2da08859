/// Why a restore was not begun, and what to do about it.
package struct RestoreRefusal: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
