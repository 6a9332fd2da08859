/// The body of `DELETE /api/users/me`, which may also be empty.
public struct DeleteUserRequest: RequestBody {
    public var authorizationCode: String?
    public var proof: LoginProofFields?

    public init(reading fields: inout FieldReader) {
        authorizationCode = fields.optional("authorizationCode", atMost: FieldLimit.authorizationCode)
        proof = LoginProofFields(reading: &fields)
    }
}
