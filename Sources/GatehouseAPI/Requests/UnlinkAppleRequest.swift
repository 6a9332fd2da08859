/// The body of `DELETE /api/users/me/accounts/apple`, which may also be empty.
public struct UnlinkAppleRequest: RequestBody {
    public var proof: LoginProofFields?

    public init(reading fields: inout FieldReader) {
        proof = LoginProofFields(reading: &fields)
    }
}
