import Gatehouse
import GatehouseTokens
import JOSE
import JSON
import OpenSSL
import Testing

@Suite("Proofs of clients")
struct DPoPProofTests {
    private static func read(_ text: String) throws(DPoPFault) -> DPoPProof {
        do throws(UnreadableProof) { return try JWTTokenService.readProof(Array(text.utf8)[...]) } catch {
            throw error.fault
        }
    }

    /// RFC 9449, sections 4.1, 7.1 and 6.1.
    private static let header =
        "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJo"
        + "RjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19"
    private static let tokenRequest =
        header
        + ".eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2Vu"
        + "IiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg"
    private static let resourceRequest =
        header
        + ".eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy9wcm90"
        + "ZWN0ZWRyZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0NBcWtzbVFFbyJ9"
        + ".2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA"
    /// The access token that the resource request comes with.
    private static let accessToken = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"
    private static let thumbprint = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"

    @Test("the examples of RFC 9449 are read, and the hash in one is that of its access token")
    func vector() throws {
        let proof = try Self.read(Self.tokenRequest)
        #expect(
            proof
                == DPoPProof(
                    thumbprint: Self.thumbprint, id: "-BwC3ESc6acc2lTc", method: "POST",
                    url: "https://server.example.com/token", issuedAt: Timestamp(seconds: 1_562_262_616),
                    accessTokenHash: nil, nonce: nil))
        let resource = try Self.read(Self.resourceRequest)
        #expect(resource.method == "GET" && resource.url == "https://resource.example.org/protectedresource")
        #expect(resource.accessTokenHash == SHA256.hash(Array(Self.accessToken.utf8)))
    }

    private static let keys =
        [
            try? SigningKey(P256PrivateKey.generate()), try? SigningKey(Ed25519PrivateKey.generate()),
        ].compactMap(\.self)

    private func proof(
        _ key: SigningKey, type: String? = "dpop+jwt", jwk: JSONValue? = nil, header: JSONObject = [:],
        _ changes: [(String, JSONValue?)] = []
    ) throws -> String {
        var members: JSONObject = ["jwk": try jwk ?? .object(#require(key.publicJWK))]
        members["typ"] = type.map { .string($0) }
        for member in header.members { members[member.name] = member.value }
        var claims: JSONObject = [
            "jti": "1", "htm": "GET", "htu": "https://a/b", "iat": 1_760_000_000, "ath": "AQID", "nonce": "n",
        ]
        for (name, value) in changes { claims[name] = value }
        return try CompactJWS.sign(payload: claims.bytes, header: members, with: key)
    }

    @Test("a proof by ES256 or EdDSA is read with all claims", arguments: keys)
    func algorithms(key: SigningKey) throws {
        let proof = try Self.read(proof(key))
        #expect(proof.id == "1" && proof.method == "GET" && proof.url == "https://a/b" && proof.nonce == "n")
        #expect(proof.accessTokenHash == [1, 2, 3] && proof.issuedAt == Timestamp(seconds: 1_760_000_000))
        #expect(proof.thumbprint == (try JWKThumbprint.compute(of: #require(key.publicJWK))))
        #expect(try Self.read(self.proof(key, [("iat", 1_760_000_000.5)])).issuedAt.milliseconds == 1_760_000_000_500)
    }

    @Test(
        "a claim that is missing or has the wrong type makes it malformed",
        arguments: [
            ("jti", nil), ("jti", 1), ("jti", ""), ("jti", .string(String(repeating: "j", count: 257))), ("htm", nil),
            ("htm", 1), ("htu", nil), ("htu", .null), ("iat", nil), ("iat", "1760000000"), ("iat", -1), ("iat", 1e300),
            ("ath", 1), ("ath", "+"), ("nonce", 1), ("nonce", .null),
        ] as [(String, JSONValue?)])
    func claims(name: String, value: JSONValue?) throws {
        #expect(throws: DPoPFault.malformed) { try Self.read(proof(Self.keys[0], [(name, value)])) }
    }

    @Test("another algorithm than ES256 and EdDSA is refused before the key is looked at")
    func otherAlgorithms() throws {
        let secret = try SigningKey(hmacSecret: [UInt8](repeating: 7, count: 32), keyID: nil)
        let octets: JSONValue = ["kty": "oct", "k": "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc"]
        #expect(throws: DPoPFault.algorithm) { try Self.read(proof(secret, jwk: octets)) }
        for name in ["none", "RS256", "ES384", "ES256K", "es256", ""] {
            let head = Base64URL.encode(Array(#"{"typ":"dpop+jwt","alg":"\#(name)","jwk":{}}"#.utf8))
            let rest = try proof(Self.keys[0]).split(separator: ".").dropFirst().joined(separator: ".")
            #expect(throws: DPoPFault.algorithm) { try Self.read("\(head).\(rest)") }
        }
        // The algorithm of the other kind of key.
        let mixed = try proof(Self.keys[0], jwk: .object(#require(Self.keys[1].publicJWK)))
        #expect(throws: DPoPFault.algorithm) { try Self.read(mixed) }
    }

    @Test("a key that is private, symmetric, of another curve or on none is malformed")
    func unusableKeys() throws {
        let key = Self.keys[0]
        let jwk = try #require(key.publicJWK)
        var (isPrivate, offCurve, otherCurve) = (jwk, jwk, jwk)
        isPrivate["d"] = "AQ"
        offCurve["y"] = offCurve["x"]
        otherCurve["crv"] = "P-384"
        let unusable: [JSONValue] = [
            .object(isPrivate), .object(offCurve), .object(otherCurve), ["kty": "oct", "k": "AQ"], "key", .null, [:],
        ]
        for jwk in unusable {
            #expect(throws: DPoPFault.malformed) { try Self.read(proof(key, jwk: jwk)) }
        }
    }

    @Test("a signature by another key, or of other claims, is refused")
    func signature() throws {
        let other = try SigningKey(P256PrivateKey.generate())
        let foreign = try proof(Self.keys[0], jwk: .object(#require(other.publicJWK)))
        #expect(throws: DPoPFault.signature) { try Self.read(foreign) }
        let parts = try proof(Self.keys[0]).split(separator: ".")
        let claims = Base64URL.encode(Array(#"{"jti":"2","htm":"GET","htu":"https://a/b","iat":1}"#.utf8))
        #expect(throws: DPoPFault.signature) { try Self.read("\(parts[0]).\(claims).\(parts[2])") }
    }

    @Test("what is no JWT or of another type, is too long, or has a member twice or a critical one, is malformed")
    func form() throws {
        let parts = try proof(Self.keys[0]).split(separator: ".")
        let twice = Base64URL.encode(Array(#"{"jti":"1","jti":"2"}"#.utf8))
        for type in [nil, "JWT", "at+jwt", "DPoP+jwt", "application/dpop+jwt"] {
            #expect(throws: DPoPFault.malformed) { try Self.read(proof(Self.keys[0], type: type)) }
        }
        let texts = [
            "", ".", "..", "a.b.c", "\(parts[0]).\(parts[1])", "\(parts[0]).\(twice).\(parts[2])",
            try proof(Self.keys[0], header: ["crit": ["exp"]]),
            try proof(Self.keys[0], [("x", .string(String(repeating: "x", count: 4096)))]),
            try proof(Self.keys[0]) + ", " + proof(Self.keys[0]),
        ]
        for text in texts {
            #expect {
                try Self.read(text)
            } throws: {
                let fault = $0 as? DPoPFault
                return fault == .malformed || fault == .signature
            }
        }
    }

    @Test("a nonce for proofs is recognised with its expiry, and is no challenge")
    func nonce() throws {
        let tokens = try Sample.service()
        let end = Timestamp(milliseconds: 1_760_000_600_123)
        let nonce = tokens.proofNonce(expiresAt: end)
        #expect(tokens.expiry(ofProofNonce: nonce) == end)
        #expect(tokens.readChallenge(nonce) == nil)
        #expect(tokens.expiry(ofProofNonce: tokens.challenge(expiresAt: end).nonce) == nil)
        #expect(tokens.expiry(ofProofNonce: "") == nil)
    }
}

@Suite("Access tokens of a bound session")
struct BoundAccessTokenTests {
    @Test("the key is read back, from the order of this server and from any other one", arguments: [nil, "thumb"])
    func roundTrip(key: String?) throws {
        let tokens = try Sample.service()
        let now = Timestamp(seconds: 1_760_000_000)
        let caller = Caller(
            userID: UserID("user_1"), sessionID: SessionID("sess_1"), generation: 3, role: .user, authenticatedAt: now,
            keyThumbprint: key)
        let token = tokens.accessToken(
            AccessClaims(
                caller: caller, clientID: "app", tokenID: "at_1", issuedAt: now, expiresAt: now + .seconds(60)))
        #expect(try tokens.readAccessToken(Array(token.utf8)[...], now: now) == caller)
        let claims = try CompactJWS(token).claims()
        #expect(claims["cnf"] == key.map { ["jkt": .string($0)] })
        // Another program with the same key may write the claims in another order.
        var members = claims.members.map { ($0.name, $0.value) }
        members.reverse()
        let signer = TokenSigner(key: try KeyRing(secret: Sample.accessSecret).current, type: "at+jwt")
        let other = signer.token(for: JSONObject(members).bytes)
        #expect(try tokens.readAccessToken(Array(other.utf8)[...], now: now) == caller)
    }
}
