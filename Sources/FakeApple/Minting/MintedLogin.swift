import JSON

/// A login with Apple, and what Apple remembers of it.
struct MintedLogin {
    /// Ready to be posted: a token and what the app would send beside it.
    let body: JSONObject
    let code: String
    /// Whom the code is for.
    let person: Person
    let authenticatedAt: Int64
}
