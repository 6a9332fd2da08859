/// The body of `DELETE /api/users/me`.
public struct DeleteUserRequest: RequestBody {
    public var authorizationCode: String?

    public init(reading fields: inout FieldReader) {
        authorizationCode = fields.optional("authorizationCode", atMost: FieldLimit.authorizationCode)
    }
}
