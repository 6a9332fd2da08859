/// The body of `POST /api/auth/refresh`.
public struct RefreshRequest: RequestBody {
    public var refreshToken: String

    public init(reading fields: inout FieldReader) {
        refreshToken = fields.required("refreshToken", atMost: FieldLimit.token)
    }
}
