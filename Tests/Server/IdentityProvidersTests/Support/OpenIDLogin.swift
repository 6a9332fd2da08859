import Gatehouse
import IdentityProviders
import JOSE
import JSON

/// A valid login with an OpenID provider, and the provider's keys. Each test changes one thing about it.
enum OpenIDLogin {
    static let now = ValidLogin.now
    static let seconds = ValidLogin.seconds
    static let issuer = "https://op.example/realm"
    static let audience = "app-ios"
    static let nonce = NonceCase.nonce

    static let rsa = ValidLogin.key
    static let p256 = key(.ES256, "p256")
    static let ed25519 = key(.EdDSA, "ed25519")
    static let keys = [rsa, p256, ed25519]

    static let claims: JSONObject = [
        "iss": .string(issuer), "aud": .string(audience), "sub": "248289761001", "iat": .integer(seconds),
        "exp": .integer(seconds + 3600), "nonce": .string(nonce),
    ]

    static func key(_ algorithm: Algorithm, _ keyID: String) -> SigningKey {
        guard let key = try? SigningKey.generate(algorithm, keyID: keyID) else {
            preconditionFailure("no key was made")
        }
        return key
    }

    /// A token that differs from a valid one in these claims and members of its header; nil removes one.
    static func token(
        _ changes: [(String, JSONValue?)] = [], header: [(String, JSONValue?)] = [], by key: SigningKey = rsa
    ) -> String {
        let head: JSONObject = [
            "alg": .string(key.algorithm.rawValue), "kid": .string(key.keyID ?? ""), "typ": "JWT",
        ]
        return TestToken.make(
            header: TestToken.changed(head, header).description,
            payload: TestToken.changed(claims, changes).description, by: key)
    }

    /// The public key with another value for these members, or without them.
    static func jwk(_ key: SigningKey, _ changes: [(String, JSONValue?)] = []) -> JSONObject {
        TestToken.changed(key.publicJWK ?? [:], changes)
    }

    static func set(_ keys: [JSONObject]) -> [UInt8] {
        let set: JSONObject = ["keys": .array(keys.map(JSONValue.object))]
        return set.bytes
    }
}

extension TokenRules {
    static var ofOpenIDTests: Self { of() }

    static func of(
        audiences: [String] = [OpenIDLogin.audience, "app-web"], parties: [String] = [],
        algorithms: [Algorithm] = [.RS256, .ES256, .EdDSA], nonce: NonceRule = .required,
        required: [RequiredClaim] = [], emailRule: EmailRule = .claim
    ) -> Self {
        .openID(
            issuers: [OpenIDLogin.issuer, "op.example"], audiences: audiences, authorizedParties: parties,
            algorithms: algorithms, nonce: nonce, required: required, emailRule: emailRule)
    }
}
