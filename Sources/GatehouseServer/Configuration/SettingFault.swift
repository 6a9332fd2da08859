/// What is wrong with one setting. Says where to mend it, and never what the value was where that may be a secret.
package struct SettingFault: Error, Sendable, Equatable, CustomStringConvertible {
    package let name: String
    package let message: String

    init(_ name: String, _ message: String) {
        self.name = name
        self.message = message
    }

    package var description: String { "\(name) \(message)" }
}
