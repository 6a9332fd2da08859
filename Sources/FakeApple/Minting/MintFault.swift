/// An order for a token that nobody can fulfil.
package struct MintFault: Error, Sendable, CustomStringConvertible {
    let name: String

    package var description: String {
        "\(name): known are the strings sub, aud, nonce, email, givenName, familyName and the objects claims, header"
    }
}
