package import JOSE
import JSON
import OpenSSL

/// The keys for one kind of token: the current key signs, and the previous keys only verify.
package struct KeyRing: Sendable {
    package let current: SigningKey
    package let previous: [SigningKey]

    package init(current: SigningKey, previous: [SigningKey] = []) {
        self.current = current
        self.previous = previous
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
