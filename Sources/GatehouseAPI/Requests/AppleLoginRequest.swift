/// The body of `POST /api/auth/apple`.
public struct AppleLoginRequest: RequestBody {
    public struct FullName: Sendable, Equatable {
        public var givenName: String?
        public var familyName: String?

        public init(givenName: String? = nil, familyName: String? = nil) {
            self.givenName = givenName
            self.familyName = familyName
        }
    }

    public var identityToken: String
    public var authorizationCode: String?
    public var userIdentifier: String?
    public var email: String?
    public var fullName: FullName?
    public var nickname: String?
    public var nonce: String?
    public var realUserStatus: Int?

    public init(reading fields: inout FieldReader) {
        identityToken = fields.required("identityToken", atMost: FieldLimit.token)
        authorizationCode = fields.optional("authorizationCode", atMost: FieldLimit.authorizationCode)
        userIdentifier = fields.optional("userIdentifier", atMost: FieldLimit.identifier)
        email = fields.optional("email", atMost: FieldLimit.email)
        fullName = fields.optionalObject("fullName") { inner in
            FullName(
                givenName: inner.forgivenName("givenName"), familyName: inner.forgivenName("familyName"))
        }
        nickname = fields.optionalName("nickname")
        nonce = fields.optional("nonce", atMost: FieldLimit.nonce)
        realUserStatus = fields.optionalInteger("realUserStatus", in: 0...2).map { Int($0) }
    }
}
