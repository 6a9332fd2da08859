import JOSE
import JSON
import OpenSSL
import Testing

@testable import StandIn

/// The answers are taken apart here by their offsets, so that a mistake of the writer does not hide in a reader.
@Suite("The software authenticator")
struct SoftwareAuthenticatorTests {
    private static let creation: JSONObject = [
        "rp": ["id": "app.example", "name": "App"], "challenge": "AAEC_w",
        "user": ["id": "dXNlcg", "name": "Ann", "displayName": "Ann"],
        "pubKeyCredParams": [["type": "public-key", "alg": -7], ["type": "public-key", "alg": -8]],
    ]
    private static let request: JSONObject = ["rpId": "app.example", "challenge": "BBBB"]
    /// ES256, a key of COSE in its shortest form: kty, alg, crv, x, y.
    private static let coseHead: [UInt8] = [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]

    struct Parts {
        let json: JSONObject
        let clientData: [UInt8]
        let data: [UInt8]

        init(_ json: JSONObject) throws {
            self.json = json
            clientData = try #require(Self.bytes("clientDataJSON", json))
            data = try #require(Self.bytes("authenticatorData", json))
        }

        static func bytes(_ name: String, _ json: JSONObject) -> [UInt8]? {
            json["response"]?.object?[name]?.string.flatMap(Base64URL.decode)
        }

        func client(_ name: String) throws -> JSONValue? { try JSONValue(parsing: clientData).object?[name] }
        var signature: [UInt8] { Self.bytes("signature", json) ?? [] }
        var signed: [UInt8] { data + SHA256.hash(clientData) }
    }

    /// Short texts in CBOR.
    private static func texts(_ texts: String...) -> [UInt8] {
        texts.flatMap { [0x60 + UInt8($0.utf8.count)] + Array($0.utf8) }
    }

    /// R and S from DER.
    fileprivate static func raw(_ der: [UInt8]) -> [UInt8] {
        var rest = der.dropFirst(2)
        return (0..<2).flatMap { _ -> [UInt8] in
            let count = Int(rest[rest.startIndex + 1])
            let digits = rest.dropFirst(2).prefix(count)
            rest = rest.dropFirst(2 + count)
            return [UInt8](repeating: 0, count: max(0, 32 - count)) + digits.suffix(32)
        }
    }

    private static func key(of data: [UInt8]) throws -> P256PublicKey {
        let cose = Array(data[75...])
        #expect(Array(cose.prefix(10)) == coseHead && cose[42...44] == [0x22, 0x58, 0x20] && cose.count == 77)
        return try P256PublicKey(x: Array(cose[10..<42]), y: Array(cose[45...]))
    }

    @Test("makes a passkey with what an iPhone says, and signs with it")
    func passkey() throws {
        var authenticator = SoftwareAuthenticator()
        let created = try Parts(authenticator.create(Self.creation))
        let id = try #require(authenticator.passkeys.first?.id)
        #expect(created.json["id"] == created.json["rawId"] && created.json["id"] == .string(Base64URL.encode(id)))
        #expect(try created.client("type") == "webauthn.create" && created.client("challenge") == "AAEC_w")
        #expect(try created.client("origin") == "https://app.example" && created.client("crossOrigin") == false)
        #expect(Array(created.data[..<32]) == SHA256.hash("app.example"))
        #expect(Array(created.data[32..<55]) == [0x5D] + [UInt8](repeating: 0, count: 4 + 16) + [0, 20])
        #expect(Array(created.data[55..<75]) == id)
        let key = try Self.key(of: created.data)
        // {"fmt": "none", "attStmt": {}, "authData": …} in CBOR.
        var object: [UInt8] = [0xA3] + Self.texts("fmt", "none", "attStmt") + [0xA0] + Self.texts("authData")
        object += [0x58, UInt8(created.data.count)] + created.data
        #expect(Parts.bytes("attestationObject", created.json) == object)

        for _ in 0..<20 {
            let signed = try Parts(authenticator.sign(Self.request))
            #expect(try signed.client("type") == "webauthn.get" && signed.client("challenge") == "BBBB")
            #expect(signed.data == SHA256.hash("app.example") + [0x1D, 0, 0, 0, 0])
            #expect(signed.json["response"]?.object?["userHandle"] == "dXNlcg")
            #expect(key.isValid(signature: Self.raw(signed.signature), for: signed.signed))
        }
    }

    @Test(
        "uses the algorithm that was asked for, and the first of the options otherwise",
        arguments: PasskeyAlgorithm.allCases)
    func algorithms(algorithm: PasskeyAlgorithm) throws {
        var authenticator = SoftwareAuthenticator()
        authenticator.algorithm = algorithm
        let data = try Parts(authenticator.create(Self.creation)).data
        let heads: [PasskeyAlgorithm: [UInt8]] = [
            .es256: Self.coseHead, .edDSA: [0xA4, 0x01, 0x01, 0x03, 0x27, 0x20, 0x06, 0x21, 0x58, 0x20],
            .rs256: [0xA4, 0x01, 0x03, 0x03, 0x39, 0x01, 0x00, 0x20, 0x59, 0x01, 0x00],
        ]
        let head = try #require(heads[algorithm])
        #expect(Array(data[75...].prefix(head.count)) == head)
        let signed = try Parts(authenticator.sign(Self.request))
        switch algorithm {
        case .es256: break
        case .edDSA:
            let key = try Ed25519PublicKey(raw: Array(data[85...]))
            #expect(key.isValid(signature: signed.signature, for: signed.signed))
        case .rs256:
            #expect(data.suffix(5) == [0x21, 0x43, 0x01, 0x00, 0x01] && data.count == 347)
            let key = try RSAPublicKey(modulus: Array(data[86..<342]), exponent: [1, 0, 1])
            #expect(key.isValidPKCS1SHA256Signature(signed.signature, for: signed.signed))
        }
    }

    @Test("the passkeys of a file are those that were saved, and a counter goes on")
    func file() throws {
        var authenticator = SoftwareAuthenticator()
        authenticator.signCount = 7
        let key = try Self.key(of: Parts(authenticator.create(Self.creation)).data)
        var restored = try SoftwareAuthenticator(authenticator.json)
        #expect(restored.json == authenticator.json)
        let counts = try [[], [PasskeyFault.counter], []].map { faults in
            let signed = try Parts(restored.sign(Self.request, faults: Set(faults)))
            #expect(key.isValid(signature: Self.raw(signed.signature), for: signed.signed))
            return signed.data.last
        }
        #expect(counts == [8, 8, 9])
        #expect(throws: PasskeyError.file) { try SoftwareAuthenticator(["passkeys": [["id": "AAAA"]]]) }
    }

    @Test("one user of a relying party has one passkey; an excluded one, and one that is not allowed, are refused")
    func selection() throws {
        var authenticator = SoftwareAuthenticator()
        _ = try authenticator.create(Self.creation)
        _ = try authenticator.create(Self.creation)
        let name = try #require(authenticator.passkeys.first?.name)
        #expect(authenticator.passkeys.count == 1)
        let excluding = Self.creation.replacing(["excludeCredentials": [["id": .string(name)]]])
        #expect(throws: PasskeyError.excluded) { try authenticator.create(excluding) }
        _ = try authenticator.create(excluding, faults: [.excluded])
        #expect(throws: PasskeyError.noPasskey("app.example")) {
            try authenticator.sign(Self.request.replacing(["allowCredentials": [["id": .string(name)]]]))
        }
        #expect(throws: PasskeyError.noPasskey("other.example")) {
            try authenticator.sign(Self.request.replacing(["rpId": "other.example"]))
        }
        for name in ["user", "rp", "challenge", "pubKeyCredParams"] {
            #expect(throws: PasskeyError.self) { try authenticator.create(Self.creation.replacing([name: nil])) }
        }
    }

    /// What differs from a good answer: the member of the credential or of its response, of clientDataJSON, or a flag.
    private static let differences: [(PasskeyFault, @Sendable (Answer) throws -> Bool)] = [
        (.type, { try $0.parts.client("type") == ($0.isCreation ? "webauthn.get" : "webauthn.create") }),
        (.challenge, { try $0.parts.client("challenge") != "AAEC_w" && $0.parts.client("challenge") != "BBBB" }),
        (.origin, { try $0.parts.client("origin") == "https://evil.example" }),
        (.rp, { Array($0.parts.data[..<32]) == SHA256.hash("evil.example") }),
        (.backup, { $0.flags & 0x18 == 0x10 }), (.trailing, { $0.length == 1 }),
        (.id, { $0.parts.json["id"] != $0.parts.json["rawId"] }),
        (.crossOrigin, { try $0.parts.client("crossOrigin") == true && $0.parts.client("topOrigin") != nil }),
        (.duplicateMember, { (try? JSONValue(parsing: $0.parts.clientData)) == nil }),
        (.noPresence, { $0.flags & 0x05 == 0x04 }), (.noVerification, { $0.flags & 0x05 == 0x01 }),
        (.noCredential, { $0.parts.data.count == 37 && $0.flags == 0x1D }),
        (.algorithm, { Array($0.parts.data[75..<82]) == [0xA5, 0x01, 0x02, 0x03, 0x38, 0x24, 0x20] }),
        (.key, { (try? Self.key(of: $0.parts.data)) == nil }),
        (.attestation, { Array($0.attestation[5..<12]) == texts("packed") }),
        (.longID, { $0.length == 1004 }),
        (
            .duplicateKey,
            { $0.attestation[0] == 0xA4 && $0.attestation.suffix(9) == texts("fmt", "none") }
        ),
        (.trailingAttestation, { $0.attestation.last == 0 && $0.length == 0 }),
        (.signature, { !$0.isSigned && $0.length == 0 }), (.counter, { $0.isSigned }),
        (.eligibility, { $0.flags == 0x05 && $0.isSigned }), (.unknown, { $0.parts.json["id"] != .string($0.name) }),
        (.rawSignature, { $0.parts.signature.count == 64 }),
        (.userHandle, { $0.parts.json["response"]?.object?["userHandle"] != "dXNlcg" && $0.isSigned }),
        (.noUserHandle, { $0.parts.json["response"]?.object?["userHandle"] == nil && $0.isSigned }),
    ]

    struct Answer {
        let parts: Parts
        let key: P256PublicKey
        let name: String
        let isCreation: Bool

        var flags: UInt8 { parts.data[32] }
        /// How many bytes the authenticator data has more than usual.
        var length: Int { parts.data.count - (isCreation ? 152 : 37) }
        var attestation: [UInt8] { Parts.bytes("attestationObject", parts.json) ?? [] }
        var isSigned: Bool {
            key.isValid(signature: SoftwareAuthenticatorTests.raw(parts.signature), for: parts.signed)
        }
    }

    @Test("each fault makes the answer wrong as it says, and no other way", arguments: [true, false])
    func faults(isCreation: Bool) throws {
        let known = isCreation ? PasskeyFault.ofCreation : PasskeyFault.ofSignIn
        #expect(Set(PasskeyFault.ofCreation + PasskeyFault.ofSignIn) == Set(PasskeyFault.allCases))
        for (fault, isAsItSays) in Self.differences where known.contains(fault) {
            var authenticator = SoftwareAuthenticator()
            let key = try Self.key(of: Parts(authenticator.create(Self.creation)).data)
            let name = authenticator.passkeys[0].name
            func answer(_ faults: Set<PasskeyFault>) throws -> Answer {
                let json =
                    isCreation
                    ? try authenticator.create(Self.creation, faults: faults)
                    : try authenticator.sign(Self.request, faults: faults)
                return Answer(parts: try Parts(json), key: key, name: name, isCreation: isCreation)
            }
            #expect(try isAsItSays(answer([fault])), "\(fault)")
            #expect(try fault == .counter || !isAsItSays(answer([])), "\(fault)")
        }
    }
}
