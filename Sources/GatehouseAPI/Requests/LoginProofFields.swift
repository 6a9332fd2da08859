/// Members of a request that prove a login anew, where the one of the access token is too old.
public struct LoginProofFields: Sendable, Equatable {
    public var identityToken: String
    public var nonce: String?
    public var userIdentifier: String?

    /// Nil where there is no identity token.
    init?(reading fields: inout FieldReader) {
        let token = fields.optional("identityToken", atMost: FieldLimit.token)
        nonce = fields.optional("nonce", atMost: FieldLimit.nonce)
        userIdentifier = fields.optional("userIdentifier", atMost: FieldLimit.identifier)
        guard let token else { return nil }
        identityToken = token
    }
}
