/// The body of `PATCH /api/users/me`: a member that is missing changes nothing, `null` takes the value away.
public struct UpdateUserRequest: RequestBody {
    public var nickname: String??
    public var avatarUrl: String??
    public var onboardingCompleted: Bool?

    public init(reading fields: inout FieldReader) {
        nickname = fields.change("nickname") { $0.optionalName("nickname") }
        avatarUrl = fields.change("avatarUrl") { $0.optionalURL("avatarUrl") }
        onboardingCompleted = fields.changeFlag("onboardingCompleted")
    }
}
