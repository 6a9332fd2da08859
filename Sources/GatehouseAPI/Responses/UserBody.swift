public import JSON

/// A user as clients see them.
public struct UserBody: ResponseBody, Equatable {
    public var id: String
    public var email: String?
    /// Whether a provider has confirmed the address.
    public var emailVerified: Bool
    public var nickname: String?
    public var avatarUrl: String?
    public var role: String
    public var status: String
    public var onboardingCompleted: Bool

    public init(
        id: String, email: String?, emailVerified: Bool, nickname: String?, avatarUrl: String?, role: String,
        status: String, onboardingCompleted: Bool
    ) {
        self.id = id
        self.email = email
        self.emailVerified = emailVerified
        self.nickname = nickname
        self.avatarUrl = avatarUrl
        self.role = role
        self.status = status
        self.onboardingCompleted = onboardingCompleted
    }

    public func write(to json: inout JSONObjectWriter) {
        json.member("id", id)
        json.member("email", email)
        json.member("emailVerified", emailVerified)
        json.member("nickname", nickname)
        json.member("avatarUrl", avatarUrl)
        json.member("role", role)
        json.member("status", status)
        json.member("onboardingCompleted", onboardingCompleted)
    }
}
