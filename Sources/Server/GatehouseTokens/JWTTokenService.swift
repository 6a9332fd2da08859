package import Gatehouse
package import JOSE
import JSON
import OpenSSL

/// Issues and verifies this server's tokens: access and refresh tokens as signed JWTs, and challenges for logins.
///
/// Each kind has a file of its own, which implements its part of `TokenService`.
package struct JWTTokenService: TokenService {
    let accessSigner: TokenSigner
    let accessVerifier: TokenVerifier
    let accessClaimParser: AccessClaimParser
    /// The signer with the current secret first.
    let refreshSigners: [TokenSigner]
    let refreshVerifier: TokenVerifier
    /// The current secret first.
    let challengeKeys: [SigningKey]
    /// The key of the current secret first.
    let codeKeys: [HMACSHA256Key]

    /// - Parameter refreshKeys: secrets (HS256), which also authenticate challenges. Key pairs are not accepted: a
    ///   refresh token whose answer was lost is issued again byte for byte, and an ECDSA signature differs each time.
    package init(issuer: String, audience: String, accessKeys: KeyRing, refreshKeys: KeyRing) {
        precondition(
            refreshKeys.all.allSatisfy { $0.algorithm == .HS256 }, "refresh tokens and challenges need HS256 secrets")
        accessSigner = TokenSigner(key: accessKeys.current, type: Self.accessTokenType)
        accessVerifier = TokenVerifier(keys: accessKeys.all, type: Self.accessTokenType)
        accessClaimParser = AccessClaimParser(issuer: issuer, audience: audience)
        refreshSigners = refreshKeys.all.map { TokenSigner(key: $0, type: Self.refreshTokenType) }
        refreshVerifier = TokenVerifier(keys: refreshKeys.all, type: Self.refreshTokenType)
        challengeKeys = refreshKeys.all
        codeKeys = refreshKeys.all.map(Self.codeKey)
    }

    package func hash(_ token: String) -> [UInt8] { Self.hash(token) }

    package static func hash(_ token: String) -> [UInt8] { SHA256.hash(token) }

    package func apparentKind(of token: String) -> TokenKind? {
        switch (try? CompactJWS(token))?.type {
        case Self.accessTokenType: .access
        case Self.refreshTokenType: .refresh
        default: nil
        }
    }
}

/// Reads the claims of one kind of token.
protocol ClaimParser {
    associatedtype Claims

    /// Reads every claim in the order in which it is written. Nil if a required claim is missing or has the wrong type.
    func parse(_ json: inout some JSONClaims) -> Claims?
}

extension TokenVerifier {
    /// The claims of a token with a valid signature and the right `typ`, so that a token of another kind is refused
    /// even if both kinds share a key. Nil for any other token; the reason is not reported.
    func claims<Parser: ClaimParser>(of token: Span<UInt8>, parsedBy parser: Parser) -> Parser.Claims? {
        guard let payload = payload(of: token) else { return nil }
        // Nearly always the claims are in the order in which this server writes them, which needs no lookup table.
        // Another program that signs with the same key may add claims or use another order.
        var sequence = JSONSequence(payload)
        if let claims = parser.parse(&sequence), sequence.isAtEnd { return claims }
        guard var members = try? JSONObjectReader(parsing: payload) else { return nil }
        return parser.parse(&members)
    }
}

/// The keys for one kind of token: the current key signs, and the previous keys only verify.
package struct KeyRing: Sendable {
    package let current: SigningKey
    package let previous: [SigningKey]

    package init(current: SigningKey, previous: [SigningKey] = []) {
        (self.current, self.previous) = (current, previous)
    }

    /// A key ring of HS256 secrets.
    package init(secret: [UInt8], previous: [[UInt8]] = []) throws(JOSEError) {
        var previousKeys: [SigningKey] = []
        for secret in previous { previousKeys.append(try SigningKey(writtenSecret: secret)) }
        self.init(current: try SigningKey(writtenSecret: secret), previous: previousKeys)
    }

    /// The current key first.
    var all: [SigningKey] { [current] + previous }

    /// The public keys as a JWK Set (RFC 7517), the current key first, so that other services can verify tokens.
    /// Nil if the ring holds only secrets, which are never published.
    package var publishedKeySet: [UInt8]? {
        let keys = all.compactMap(\.publicJWK).map(JSONValue.object)
        guard !keys.isEmpty else { return nil }
        let set: JSONObject = ["keys": .array(keys)]
        return set.bytes
    }

    /// The algorithms of the published keys without duplicates, beginning with the newest key's.
    package var publishedAlgorithms: [Algorithm] {
        all.filter { $0.publicJWK != nil }.map(\.algorithm)
            .reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

extension SigningKey {
    /// An HS256 key from the text of a setting. Throws if the secret is too short.
    ///
    /// The key id is a keyed hash of a constant: it tells two secrets apart and reveals nothing about either.
    package init(writtenSecret secret: [UInt8]) throws(JOSEError) {
        guard secret.count >= VerificationKey.minimumSecretByteCount else {
            throw .unusableKey("the secret is too short")
        }
        let keyID = HMACSHA256Key(secret).authenticate(Array("gatehouse key id".utf8)).prefix(6)
        try self.init(hmacSecret: secret, keyID: Base64URL.encode(Array(keyID)))
    }
}

/// A generated key, and the text that the operator stores.
package struct NewKey: Sendable {
    package let key: SigningKey
    /// PEM, or a secret in base64url; without a final line break, as a setting takes it.
    package let text: String

    package static func generate(_ algorithm: Algorithm) throws(JOSEError) -> NewKey {
        let key = try SigningKey.generate(algorithm)
        if let pem = key.pem { return NewKey(key: key, text: String(pem.dropLast())) }
        // The server signs with the bytes of the text, not with the bytes that the text encodes.
        let secret = Base64URL.encode(SecureRandom.bytes(VerificationKey.minimumSecretByteCount))
        return NewKey(key: try SigningKey(writtenSecret: Array(secret.utf8)), text: secret)
    }
}
