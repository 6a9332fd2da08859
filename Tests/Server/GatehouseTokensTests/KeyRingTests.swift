import Gatehouse
import GatehouseTokens
import JOSE
import JSON
import OpenSSL
import Testing

@Suite("Key rings")
struct KeyRingTests {
    private func service(_ secret: [UInt8], previous: [UInt8]...) throws -> JWTTokenService {
        let ring = try KeyRing(secret: secret, previous: previous)
        return Sample.service(access: ring, refresh: ring)
    }

    @Test("tokens of the previous secret are accepted, and no new token is signed with it")
    func rotation() throws {
        let before = try service(Sample.accessSecret)
        let during = try service(Sample.otherSecret, previous: Sample.accessSecret)
        let after = try service(Sample.otherSecret)
        let (old, oldRefresh) = (before.accessToken(Sample.access), before.refreshToken(Sample.refresh))
        #expect(throws: Never.self) { try during.readAccessToken(old, now: Sample.now) }
        #expect(throws: Never.self) { try during.readRefreshToken(oldRefresh) }
        #expect(throws: Refusal.invalidAccessToken) { try after.readAccessToken(old, now: Sample.now) }
        #expect(throws: Refusal.invalidRefreshToken) { try after.readRefreshToken(oldRefresh) }
        let new = during.accessToken(Sample.access)
        #expect(new == after.accessToken(Sample.access))
        #expect(throws: Refusal.invalidAccessToken) { try before.readAccessToken(new, now: Sample.now) }
    }

    @Test("access tokens can change from a secret to a key pair", arguments: [Algorithm.ES256, .EdDSA])
    func mixture(algorithm: Algorithm) throws {
        let refresh = try KeyRing(secret: Sample.refreshSecret)
        let (key, secret) = (try SigningKey.generate(algorithm), try SigningKey(writtenSecret: Sample.accessSecret))
        let before = Sample.service(access: KeyRing(current: secret), refresh: refresh)
        let during = Sample.service(access: KeyRing(current: key, previous: [secret]), refresh: refresh)
        let after = Sample.service(access: KeyRing(current: key), refresh: refresh)
        let (old, new) = (before.accessToken(Sample.access), during.accessToken(Sample.access))
        #expect(try CompactJWS(new).algorithmName == algorithm.rawValue)
        #expect(try CompactJWS(new).keyID == key.thumbprint)
        for token in [old, new] { #expect(try during.readAccessToken(token, now: Sample.now) == Sample.access.caller) }
        #expect(try after.readAccessToken(new, now: Sample.now) == Sample.access.caller)
        #expect(throws: Refusal.invalidAccessToken) { try after.readAccessToken(old, now: Sample.now) }
        #expect(throws: Refusal.invalidAccessToken) { try before.readAccessToken(new, now: Sample.now) }
    }

    @Test("a token signed with the public key as an HMAC secret is refused")
    func confusion() throws {
        let key = try SigningKey.generate(.ES256)
        let tokens = Sample.service(
            access: KeyRing(current: key, previous: [try SigningKey(writtenSecret: Sample.accessSecret)]),
            refresh: try KeyRing(secret: Sample.refreshSecret))
        let claims = try CompactJWS(tokens.accessToken(Sample.access)).claims()
        let published = try #require(key.publicJWK).bytes
        let forged = try Sample.signed(
            claims, type: "at+jwt", by: SigningKey(hmacSecret: published), keyID: .some(key.keyID))
        #expect(throws: Refusal.invalidAccessToken) { try tokens.readAccessToken(forged, now: Sample.now) }
    }

    @Test("the published key set has the public keys, the current one first, and no secrets")
    func published() throws {
        let (first, second) = (try SigningKey.generate(.ES256), try SigningKey.generate(.EdDSA))
        let secret = try SigningKey(writtenSecret: Sample.accessSecret)
        let ring = KeyRing(current: first, previous: [secret, second])
        let set = try #require(ring.publishedKeySet)
        #expect(
            set == JSONObject([("keys", [.object(first.publicJWK ?? [:]), .object(second.publicJWK ?? [:])])]).bytes)
        #expect(try JWKSet(parsing: set).keyIDs == [first.thumbprint, second.thumbprint])
        #expect(KeyRing(current: secret).publishedKeySet == nil)
        #expect(KeyRing(current: secret, previous: [second]).publishedKeySet != nil)
    }

    @Test("a key pair does not sign refresh tokens")
    func refreshKeys() async {
        await #expect(processExitsWith: .failure) {
            let secret = try SigningKey(writtenSecret: Array(repeating: 7, count: 32))
            _ = Sample.service(
                access: try KeyRing(secret: Sample.accessSecret),
                refresh: KeyRing(current: secret, previous: [try SigningKey.generate(.ES256)]))
        }
        await #expect(processExitsWith: .failure) {
            _ = Sample.service(
                access: try KeyRing(secret: Sample.accessSecret),
                refresh: KeyRing(current: try SigningKey.generate(.ES256)))
        }
    }

    @Test("a kid tells two secrets apart and reveals neither")
    func keyIDs() throws {
        let name = try #require(try KeyRing(secret: Sample.accessSecret).current.keyID)
        #expect(try KeyRing(secret: Sample.accessSecret).current.keyID == name)
        #expect(try KeyRing(secret: Sample.otherSecret).current.keyID != name)
        // The id is not a plain hash of the secret, which could be compared with hashes of guessed secrets.
        let plainHash = Base64URL.encode(Array(SHA256.hash(Sample.accessSecret).prefix(6)))
        #expect(name.utf8.count == 8)
        #expect(name != plainHash)
        let thumbprint = try SigningKey(hmacSecret: Sample.accessSecret).thumbprint
        #expect(!thumbprint.hasPrefix(name))
    }
}
