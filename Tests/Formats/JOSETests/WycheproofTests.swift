import JOSE
import JSON
import Testing

@testable import OpenSSL

@Suite("Wycheproof")
struct WycheproofTests {
    @Test("RSASSA-PKCS1-v1_5 with SHA-256")
    func rsa() throws {
        try verify("rsa_signature_2048_sha256_test", .RS256, count: 259) { members in
            try VerificationKey(jwk: try #require(members["keyJwk"]?.object))
        }
    }

    @Test("ECDSA on P-256 with SHA-256, R and S concatenated")
    func ecdsa() throws {
        try verify("ecdsa_secp256r1_sha256_p1363_test", .ES256, count: 262) { members in
            let point = try #require(members["publicKey"]?.object?["uncompressed"]?.string)
            let coordinates = [UInt8](hexadecimal: point).dropFirst()
            let publicKey = try P256PublicKey(x: Array(coordinates.prefix(32)), y: Array(coordinates.dropFirst(32)))
            return VerificationKey(publicKey, keyID: nil)
        }
    }

    @Test("Ed25519")
    func ed25519() throws {
        try verify("ed25519_test", .EdDSA, count: 151) { members in
            try VerificationKey(jwk: try #require(members["publicKeyJwk"]?.object))
        }
    }

    private func verify(
        _ file: String, _ algorithm: Algorithm, count: Int, by key: (JSONObject) throws -> VerificationKey
    ) throws {
        let groups = try WycheproofFile(file).groups
        #expect(groups.map(\.vectors.count).reduce(0, +) == count)
        for group in groups {
            let publicKey = try key(group.members)
            #expect(publicKey.algorithm == algorithm)
            for vector in group.vectors {
                // The "acceptable" signature of RSA omits the NULL of its algorithm identifier. RFC 8017, section 9.2,
                // requires it, Apple writes it, and a second encoding of a signature is not needed.
                try #require(vector.result != "acceptable" || vector.flags == ["MissingNull"])
                let isValid = publicKey.isValid(signature: vector.bytes("sig"), for: vector.bytes("msg"))
                #expect(isValid == (vector.result == "valid"), "vector \(vector.number): \(vector.comment)")
            }
        }
    }

    /// Tests HMACSHA256Key directly, because some of the keys are shorter than the minimum for tokens.
    @Test("HMAC-SHA-256, without truncated tags")
    func hmac() throws {
        var (whole, truncated) = (0, 0)
        for group in try WycheproofFile("hmac_sha256_test").groups {
            let isTruncated = group.members["tagSize"] != 256
            for vector in group.vectors {
                try #require(vector.result != "acceptable")
                let key = HMACSHA256Key(vector.bytes("key"))
                let (message, tag) = (vector.bytes("msg"), vector.bytes("tag"))
                let isTag = key.authenticate(message).starts(with: tag)
                #expect(isTag == (vector.result == "valid"), "vector \(vector.number)")
                #expect(key.isValid(tag: tag, for: message) == (isTag && !isTruncated), "vector \(vector.number)")
                if isTruncated { truncated += 1 } else { whole += 1 }
            }
        }
        #expect(whole == 87)
        #expect(truncated == 87)
    }

    /// Vectors with a 32-byte key, a 12-byte nonce and a 16-byte tag, the only lengths that AES256GCMKey supports.
    @Test("AES-256-GCM")
    func aesGCM() throws {
        let sizes: [String: JSONValue] = ["keySize": 256, "ivSize": 96, "tagSize": 128]
        var count = 0
        for group in try WycheproofFile("aes_gcm_test").groups
        where sizes.allSatisfy({ group.members[$0.key] == $0.value }) {
            for vector in group.vectors {
                try #require(vector.result != "acceptable")
                let key = try AES256GCMKey(vector.bytes("key"))
                let (message, data, nonce) = (vector.bytes("msg"), vector.bytes("aad"), vector.bytes("iv"))
                let sealed = nonce + vector.bytes("ct") + vector.bytes("tag")
                let isValid = vector.result == "valid"
                #expect((key.seal(message, with: data, nonce: nonce) == sealed) == isValid, "vector \(vector.number)")
                #expect(key.open(sealed, with: data) == (isValid ? message : nil), "vector \(vector.number)")
                count += 1
            }
        }
        #expect(count == 66)
    }
}
