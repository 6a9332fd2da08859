import JOSE
import JSON
import OpenSSL

@testable import WebAuthn

/// An authenticator in a test: each part of its answers can be replaced, so that it can break one rule at a time.
struct Authenticator {
    enum Key {
        case p256(P256PrivateKey)
        case ed25519(Ed25519PrivateKey)
        case rsa(RSAPrivateKey)
    }

    static let relyingParty = RelyingParty(
        id: "example.org",
        origins: ["https://example.org", "android:apk-key-hash:" + String(repeating: "A", count: 43)],
        userVerification: .required)
    static let challenge = [UInt8](0..<32)

    let key: Key
    var credentialID = [UInt8](100..<132)
    var relyingPartyID = "example.org"
    var flags: UInt8 = 0x1D
    var signCount: UInt32 = 0
    var aaguid = [UInt8](repeating: 0, count: 16)
    /// Appended to the authenticator data.
    var extensions: [UInt8] = []
    var publicKey: [UInt8]
    var clientData: JSONObject = ["origin": "https://example.org", "crossOrigin": false]
    var challenge = Authenticator.challenge
    var format: CBOR = "none"
    var statement: CBOR = .map([])

    init(_ key: Key) {
        self.key = key
        publicKey = key.cose.encoded
    }

    static func es256() throws -> Authenticator { Authenticator(.p256(try .generate())) }

    static func each() throws -> [Authenticator] {
        [try es256(), Authenticator(.ed25519(try .generate())), Authenticator(.rsa(try .generate()))]
    }
}

extension Authenticator.Key {
    var cose: CBOR {
        switch self {
        case .p256(let key):
            .map([
                .init(1, 2), .init(3, -7), .init(-1, 1), .init(-2, .bytes(key.publicKey.x)),
                .init(-3, .bytes(key.publicKey.y)),
            ])
        case .ed25519(let key):
            .map([.init(1, 1), .init(3, -8), .init(-1, 6), .init(-2, .bytes(key.publicKey.raw))])
        case .rsa(let key):
            .map([.init(1, 3), .init(3, -257), .init(-1, .bytes(key.modulus)), .init(-2, .bytes(key.exponent))])
        }
    }

    func sign(_ message: [UInt8]) throws -> [UInt8] {
        switch self {
        case .p256(let key): P256Signature.encodedInDER(try key.sign(message))
        case .ed25519(let key): try key.sign(message)
        case .rsa(let key): try key.sign(message)
        }
    }
}

/// DER, written again for the tests, so that they do not depend on OpenSSL's.
enum P256Signature {
    static func encodedInDER(_ raw: [UInt8]) -> [UInt8] {
        let numbers = integer(raw[..<32]) + integer(raw[32...])
        return [0x30, UInt8(numbers.count)] + numbers
    }

    static func integer(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var digits = Array(bytes.drop { $0 == 0 })
        if digits.isEmpty || digits[0] >= 0x80 { digits.insert(0, at: 0) }
        return [0x02, UInt8(digits.count)] + digits
    }
}

extension Authenticator {
    func clientDataJSON(_ type: String) -> [UInt8] {
        var members = clientData
        if members["type"] == nil { members["type"] = .string(type) }
        if members["challenge"] == nil { members["challenge"] = .string(Base64URL.encode(challenge)) }
        return members.bytes
    }

    func authenticatorData(_ flags: UInt8, _ credential: [UInt8]) -> [UInt8] {
        let count = (0..<4).reversed().map { UInt8(truncatingIfNeeded: signCount >> ($0 * 8)) }
        return SHA256.hash(relyingPartyID) + [flags] + count + credential + extensions
    }

    var attestedCredential: [UInt8] {
        aaguid + [UInt8(credentialID.count >> 8), UInt8(credentialID.count & 0xFF)] + credentialID + publicKey
    }

    var attestationObject: CBOR {
        .map([
            .init("fmt", format), .init("attStmt", statement),
            .init("authData", .bytes(authenticatorData(flags | 0x40, attestedCredential))),
        ])
    }

    func registration(_ attestationObject: [UInt8]? = nil) -> JSONObject {
        credential([
            "clientDataJSON": .octets(clientDataJSON("webauthn.create")),
            "attestationObject": .octets(attestationObject ?? self.attestationObject.encoded),
            "transports": ["hybrid", "internal"],
        ])
    }

    func assertion() throws -> JSONObject {
        let (data, clientDataJSON) = (authenticatorData(flags, []), clientDataJSON("webauthn.get"))
        return credential([
            "clientDataJSON": .octets(clientDataJSON), "authenticatorData": .octets(data),
            "signature": .octets(try key.sign(data + SHA256.hash(clientDataJSON))), "userHandle": .octets([1, 2, 3]),
        ])
    }

    private func credential(_ response: JSONObject) -> JSONObject {
        [
            "id": .octets(credentialID), "rawId": .octets(credentialID), "type": "public-key",
            "authenticatorAttachment": "platform", "clientExtensionResults": [:], "response": .object(response),
        ]
    }

    @discardableResult
    func register(with relyingParty: RelyingParty = Self.relyingParty) throws -> RegisteredCredential {
        try relyingParty.verify(RegistrationResponse(registration()), challenge: Self.challenge)
    }

    @discardableResult
    func signIn(with relyingParty: RelyingParty = Self.relyingParty, after signCount: UInt32 = 0) throws -> Assertion {
        try relyingParty.verify(
            AssertionResponse(assertion()), challenge: Self.challenge,
            with: KnownCredential(id: credentialID, publicKey: publicKey, signCount: signCount))
    }
}

extension JSONValue {
    static func octets(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.encode(bytes)) }
}
