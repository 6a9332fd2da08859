/// Tokens that are given out at `/auth/token`.
struct Issue {
    let person: Person
    let accessToken: String
    /// Nil in exchange for a refresh token, which goes on to hold.
    let refreshToken: String?
    let authenticatedAt: Int64?
}
