/// The body of `POST /api/auth/dev-login`.
public struct DevLoginRequest: RequestBody {
    public var email: String
    public var devSecret: String
    public var nickname: String?

    public init(reading fields: inout FieldReader) {
        email = fields.requiredEmail("email")
        devSecret = fields.required("devSecret", atMost: FieldLimit.secret)
        nickname = fields.optionalName("nickname")
    }
}
