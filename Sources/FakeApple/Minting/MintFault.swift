/// An order that nobody can fulfil.
package struct MintFault: Error, Sendable, CustomStringConvertible {
    let name: String
    let known: String

    package var description: String { "\(name): \(known)" }
}
