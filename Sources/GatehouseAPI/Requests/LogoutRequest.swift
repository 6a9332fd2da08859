/// The body of `POST /api/auth/logout`, which may also be empty.
public struct LogoutRequest: RequestBody {
    public var refreshToken: String?

    public init(reading fields: inout FieldReader) {
        refreshToken = fields.optional("refreshToken", atMost: FieldLimit.token)
    }
}
