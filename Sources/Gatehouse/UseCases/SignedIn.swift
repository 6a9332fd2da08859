/// The outcome of a login.
package struct SignedIn: Sendable {
    package let tokens: TokenPair
    package let user: User
    package let isNewUser: Bool
}
