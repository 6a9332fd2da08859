import Gatehouse

/// Tokens in plain text without a signature, so that a test can forge them. The hash of a token is the token itself.
struct PlainTokens: TokenService {
    /// Whether the users of all access tokens had no phone number when they were issued.
    var needsPhone = false

    func accessToken(_ claims: AccessClaims) -> String {
        let caller = claims.caller
        return "\(caller.userID.text) \(caller.sessionID.text) \(caller.generation) \(claims.expiresAt.seconds)"
    }

    func refreshToken(_ claims: RefreshClaims) -> String {
        let random = claims.random.reduce(into: UInt128(0)) { $0 = $0 << 8 | UInt128($1) }
        return "\(claims.userID.text) \(claims.sessionID.text) \(claims.generation) \(random)"
            + " \(claims.issuedAt.seconds) \(claims.expiresAt.seconds)"
    }

    func refreshToken(_ claims: RefreshClaims, hashedAs hash: [UInt8]) -> String? {
        let text = refreshToken(claims)
        return self.hash(text) == hash ? text : nil
    }

    func hash(_ token: String) -> [UInt8] { Array(token.utf8) }

    func apparentKind(of token: String) -> TokenKind? { nil }

    func readAccessToken(_ token: ArraySlice<UInt8>, now: Timestamp) throws(Refusal) -> Caller {
        let token = String(decoding: token, as: UTF8.self)
        let parts = token.split(separator: " ")
        guard parts.count == 4 else { throw .invalidAccessToken }
        guard now < expiry(of: token) else { throw .accessTokenExpired }
        return Caller(
            userID: UserID(String(parts[0])), sessionID: SessionID(String(parts[1])), generation: generation(of: token),
            role: .user, authenticatedAt: Timestamp(seconds: 0), needsPhone: needsPhone)
    }

    func role(inExpired token: ArraySlice<UInt8>) -> Role? { .user }

    func readAccessClaims(_ token: String, now: Timestamp) throws(Refusal) -> AccessClaims {
        AccessClaims(
            caller: try readAccessToken(Array(token.utf8)[...], now: now), clientID: "client", tokenID: "id",
            issuedAt: Timestamp(seconds: 0), expiresAt: expiry(of: token))
    }

    var issuer: String { "issuer" }
    var audience: String { "audience" }

    func readRefreshToken(_ token: String) throws(Refusal) -> PresentedToken {
        let parts = token.split(separator: " ")
        guard parts.count == 6 else { throw .invalidRefreshToken }
        return PresentedToken(
            sessionID: SessionID(String(parts[1])), userID: UserID(String(parts[0])), generation: generation(of: token),
            random: Self.bytes(UInt128(parts[3]) ?? 0), issuedAt: Timestamp(seconds: Int64(parts[4]) ?? 0),
            expiresAt: expiry(of: token), hash: hash(token))
    }

    /// Not secret, as the tokens: the seed with the generation in its last bytes.
    func random(ofGeneration generation: Int64, seed: [UInt8]) -> [UInt8] {
        let number = seed.reduce(into: UInt128(0)) { $0 = $0 << 8 | UInt128($1) }
        return Self.bytes(number ^ UInt128(UInt64(bitPattern: generation)))
    }

    private static func bytes(_ number: UInt128) -> [UInt8] {
        (0..<16).map { UInt8(truncatingIfNeeded: number >> (120 - $0 * 8)) }
    }

    /// A proof is the key, its id and the time of its issue, about any request.
    func readProof(_ text: ArraySlice<UInt8>) throws(DPoPFault) -> DPoPProof {
        let parts = String(decoding: text, as: UTF8.self).split(separator: " ").map(String.init)
        guard parts.count == 3, let issuedAt = Int64(parts[2]) else { throw .malformed }
        return DPoPProof(
            thumbprint: parts[0], id: parts[1], method: "POST", url: "https://example.com/",
            issuedAt: Timestamp(milliseconds: issuedAt), accessTokenHash: nil, nonce: nil)
    }

    func proofNonce(expiresAt: Timestamp) -> String { "\(expiresAt.milliseconds)" }

    func expiry(ofProofNonce nonce: String) -> Timestamp? { Int64(nonce).map(Timestamp.init(milliseconds:)) }

    func challenge(expiresAt: Timestamp) -> Challenge { Challenge(nonce: "nonce", expiresAt: expiresAt) }

    func readChallenge(_ nonce: String) -> Challenge? { nil }

    /// The third field of either kind of token.
    func generation(of token: String) -> Int64 { Int64(token.split(separator: " ")[2]) ?? 0 }

    /// An access token that confirms no generation.
    func withoutGeneration(_ accessToken: String) -> String {
        var parts = accessToken.split(separator: " ")
        parts[2] = "0"
        return parts.joined(separator: " ")
    }

    /// The last field of either kind of token.
    func expiry(of token: String) -> Timestamp {
        Timestamp(seconds: token.split(separator: " ").last.flatMap { Int64($0) } ?? 0)
    }
}

/// Codes that are the first digits of their seed and their own hash, challenges that are their own verifiers, and sealed
/// proofs that are their subject.
extension PlainTokens {
    func code(seed: [UInt8], id: String) -> (text: String, hash: [UInt8]) {
        let text = seed.prefix(6).map { "\($0 % 10)" }.joined()
        return (text, hash(ofCode: text, id: id))
    }

    func code(seed: [UInt8], id: String, hashedAs hash: [UInt8]) -> String? {
        let code = code(seed: seed, id: id)
        return code.hash == hash ? code.text : nil
    }

    func hash(ofCode text: String, id: String) -> [UInt8] { Array("\(text) \(id)".utf8) }

    func isCode(_ text: String, id: String, hashedAs hash: [UInt8]) -> Bool { hash == self.hash(ofCode: text, id: id) }

    func text(of random: [UInt8]) -> String { random.map { "\($0)" }.joined(separator: "-") }
    func isCodeVerifier(_ verifier: String, of challenge: String) -> Bool { verifier == challenge }
    func seal(_ proof: ProvenIdentity, withCode code: String) -> [UInt8] { Array(proof.identity.subject.utf8) }
    func open(_ sealed: [UInt8], withCode code: String) -> ProvenIdentity? {
        ProvenIdentity(
            identity: Identity(provider: .dev, subject: String(decoding: sealed, as: UTF8.self), email: nil),
            clientID: "app", issuedAt: Timestamp(seconds: 0), nickname: nil, laterCode: nil)
    }

    func seal(_ ceremony: PasskeyCeremony) -> String { text(of: ceremony.challenge) }
    func openCeremony(_ text: String) -> PasskeyCeremony? { nil }
    func passkeyHandle(of user: UserID) -> String { user.text }
}
