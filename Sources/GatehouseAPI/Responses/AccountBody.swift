public import JSON

/// A way of signing in that a user has.
public struct AccountBody: ResponseBody, Equatable {
    public var provider: String
    public var email: String?
    /// Whether the provider has confirmed the address; nil where it has never said.
    public var emailVerified: Bool?
    public var isPrivateEmail: Bool?
    /// Whether Apple passes mail on to the user.
    public var isMailForwarded: Bool?
    public var linkedAt: String

    public init(
        provider: String, email: String?, emailVerified: Bool?, isPrivateEmail: Bool?, isMailForwarded: Bool?,
        linkedAt: String
    ) {
        self.provider = provider
        self.email = email
        self.emailVerified = emailVerified
        self.isPrivateEmail = isPrivateEmail
        self.isMailForwarded = isMailForwarded
        self.linkedAt = linkedAt
    }

    public func write(to json: inout JSONObjectWriter) {
        json.member("provider", provider)
        json.member("email", email)
        json.member("emailVerified", emailVerified)
        json.member("isPrivateEmail", isPrivateEmail)
        json.member("isMailForwarded", isMailForwarded)
        json.member("linkedAt", linkedAt)
    }
}
