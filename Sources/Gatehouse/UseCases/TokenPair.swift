/// What a client holds while signed in.
package struct TokenPair: Sendable, Equatable {
    package let accessToken: String
    package let refreshToken: String
    package let expiresIn: Duration
}
