import JOSE
import JSON
import OpenSSL
import Testing

@testable import WebAuthn

@Suite("Passkeys: the JSON of an answer")
struct ResponseTests {
    /// A change to the JSON of an answer.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let make: @Sendable (inout JSONObject) -> Void

        init(_ name: String, _ make: @escaping @Sendable (inout JSONObject) -> Void) {
            testDescription = name
            self.make = make
        }

        /// A member of the credential.
        static func top(_ name: String, _ value: JSONValue?) -> Change {
            Change("\(name) is \(value?.description ?? "missing")") { $0[name] = value }
        }

        /// A member of its response.
        static func response(_ name: String, _ value: JSONValue?) -> Change {
            Change("\(name) is \(value?.description ?? "missing")") {
                guard var response = $0["response"]?.object else { return }
                response[name] = value
                $0["response"] = .object(response)
            }
        }
    }

    private static let anyID = Base64URL.encode([UInt8](100..<132))

    static let changes: [Change] = [
        .top("id", nil), .top("rawId", nil), .top("id", ""), .top("rawId", 7), .top("id", .null),
        .top("rawId", .octets([1])), .top("id", .octets([1])), .top("rawId", .string(anyID + "=")),
        .top("id", .string(anyID + " ")), .top("type", nil), .top("type", "password"), .top("type", .null),
        .top("response", nil), .top("response", []), .top("response", .null),
        .response("clientDataJSON", nil), .response("clientDataJSON", .null), .response("clientDataJSON", "="),
        .response("clientDataJSON", ""), .response("clientDataJSON", .octets(Array("{}".utf8))),
        .response("clientDataJSON", .octets(Array("[]".utf8))), .response("clientDataJSON", .octets([0xFF])),
        .response("clientDataJSON", [1]),
    ]

    @Test(
        "a registration is refused with a member missing, of another type, or with another text",
        arguments: changes + [
            .response("attestationObject", nil), .response("attestationObject", "+/+/"),
            .response("attestationObject", ""), .response("transports", "usb"), .response("transports", [1]),
            .response("transports", ["USB"]), .response("transports", [""]),
            .response("transports", .array(Array(repeating: "usb", count: 17))),
            .response("transports", .array([.string(String(repeating: "a", count: 33))])),
            .response("authenticatorData", "AA"), .response("authenticatorData", 1),
            .response("publicKeyAlgorithm", -8), .response("publicKeyAlgorithm", "-7"),
        ])
    func registration(_ change: Change) throws {
        var credential = try Authenticator.es256().registration()
        change.make(&credential)
        #expect(try registrationFault(credential)?.kind == "malformed")
    }

    @Test(
        "a sign-in is refused with a member missing, of another type, or with another text",
        arguments: changes + [
            .response("authenticatorData", nil), .response("authenticatorData", ""), .response("signature", nil),
            .response("signature", 1), .response("signature", "a"), .response("userHandle", 1),
            .response("userHandle", "="),
        ])
    func signIn(_ change: Change) throws {
        let authenticator = try Authenticator.es256()
        var credential = try authenticator.assertion()
        change.make(&credential)
        #expect(try signInFault(credential, authenticator)?.kind == "malformed")
    }

    @Test(
        "members that may be missing may be, and members that are not known are ignored",
        arguments: [
            .top("authenticatorAttachment", nil), .top("authenticatorAttachment", .null),
            .top("authenticatorAttachment", "glued"), .top("clientExtensionResults", nil), .top("more", 1),
            .response("transports", nil), .response("transports", .null), .response("transports", []),
            .response("transports", ["smart-card", "a-later-one"]), .response("publicKey", "AA"),
            .response("publicKey", .null), .response("publicKeyAlgorithm", -7),
            .response("publicKeyAlgorithm", .null), .response("authenticatorData", .null),
            .response("userHandle", nil), .response("userHandle", .null), .response("more", 1),
        ] as [Change])
    func optional(_ change: Change) throws {
        let authenticator = try Authenticator.es256()
        var registration = authenticator.registration()
        change.make(&registration)
        #expect(try registrationFault(registration) == nil)
        guard !change.testDescription.hasPrefix("authenticatorData") else { return }
        var assertion = try authenticator.assertion()
        change.make(&assertion)
        #expect(try signInFault(assertion, authenticator) == nil)
    }

    @Test("transports are kept once each, and what the client repeats of the attestation object has to agree")
    func repeated() throws {
        let authenticator = try Authenticator.es256()
        var credential = authenticator.registration()
        Change.response("transports", ["usb", "nfc", "usb"]).make(&credential)
        #expect(try RegistrationResponse(credential).transports == ["usb", "nfc"])
        let data = try AttestationObject(authenticator.attestationObject.encoded).authenticatorData
        Change.response("authenticatorData", .octets(data)).make(&credential)
        #expect(try registrationFault(credential) == nil)
    }

    @Test(
        "client data with a member twice, with other text around it, or not in UTF-8 is refused",
        arguments: [
            #""origin":"https://example.org","#, #""challenge":"x","#, #""extra":1,"extra":2,"#, #""x":{"a":1,"a":2},"#,
            ",", #""x":NaN,"#, #"'x':1,"#, "\"x\":\"\u{0}\",",
        ])
    func clientData(_ inserted: String) throws {
        let authenticator = try Authenticator.es256()
        let original = authenticator.clientDataJSON("webauthn.create")
        for bytes in [
            [0x7B] + Array(inserted.utf8) + original.dropFirst(), original + [0x7D], original + [0x00],
            [0xFF] + original,
            Array(original.dropLast()) + [0x2C, 0x22, 0xC3, 0x28, 0x22, 0x3A, 0x31, 0x7D],
            [0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF] + original, [0xFE, 0xFF] + original,
        ] {
            var credential = authenticator.registration()
            Change.response("clientDataJSON", .octets(bytes)).make(&credential)
            #expect(try registrationFault(credential)?.kind == "malformed")
        }
    }

    @Test("client data may have a byte order mark, spaces and escapes: texts are compared, not a template")
    func clientDataForms() throws {
        let authenticator = try Authenticator.es256()
        let challenge = Base64URL.encode(Authenticator.challenge)
        for text in [
            "\u{FEFF}" + String(decoding: authenticator.clientDataJSON("webauthn.create"), as: UTF8.self),
            " {\n\"crossOrigin\" : false, \"origin\":\"https:\\/\\/example.org\",\"challenge\":\"\(challenge)\","
                + "\"\\u0074ype\":\"webauthn\\u002ecreate\"} ",
        ] {
            var credential = authenticator.registration()
            Change.response("clientDataJSON", .octets(Array(text.utf8))).make(&credential)
            #expect(try registrationFault(credential) == nil)
        }
    }

    @Test("the credential of another answer is refused")
    func otherCredential() throws {
        let authenticator = try Authenticator.es256()
        var other = authenticator
        other.credentialID[0] ^= 1
        #expect(try signInFault(try other.assertion(), authenticator)?.kind == "malformed")
        var credential = authenticator.registration()
        (credential["id"], credential["rawId"]) = (.octets(other.credentialID), .octets(other.credentialID))
        #expect(try registrationFault(credential)?.kind == "malformed")
    }

    @Test(
        "an attestation has the form of its format, and is not verified",
        arguments: [
            ("none", .map([]), true), ("none", .map([.init("x", 1)]), false), ("none", .array([]), false),
            ("none", .null, false), ("NONE", .map([]), false), ("nona", .map([]), false),
            ("", .map([.init("x", 1)]), false),
            ("packed", .map([.init("alg", -7), .init("sig", .bytes([1]))]), true), ("packed", .map([]), false),
            ("packed", .array([1, 2]), false), ("a-later-one", .map([.init("x", 1)]), true),
            ("with space", .map([.init("x", 1)]), false), ("\"", .map([.init("x", 1)]), false),
            (.text(String(repeating: "a", count: 33)), .map([.init("x", 1)]), false), (1, .map([.init("x", 1)]), false),
            ("compound", .array([.map([]), .map([])]), true), ("compound", .array([.map([])]), false),
            ("compound", .map([.init("x", 1)]), false),
        ] as [(CBOR, CBOR, Bool)])
    func attestation(_ format: CBOR, _ statement: CBOR, _ isAccepted: Bool) throws {
        var authenticator = try Authenticator.es256()
        (authenticator.format, authenticator.statement) = (format, statement)
        #expect(try (authenticator.registrationFault() == nil) == isAccepted)
    }

    @Test("an attestation object has exactly three members, and no bytes after them")
    func attestationObject() throws {
        let authenticator = try Authenticator.es256()
        let entries = try #require(authenticator.attestationObject.map)
        var objects = entries.indices.map { index in
            CBOR.map(Array(entries[..<index] + entries[(index + 1)...])).encoded
        }
        objects.append(CBOR.map(entries + [.init("more", 1)]).encoded)
        objects.append(authenticator.attestationObject.encoded + [0])
        objects.append(CBOR.array([authenticator.attestationObject]).encoded)
        for object in objects {
            #expect(try registrationFault(authenticator.registration(object))?.kind == "malformed")
        }
    }

    @Test("a credential id has 1 to 1023 bytes", arguments: [(0, false), (1, true), (1023, true), (1024, false)])
    func credentialIDs(_ count: Int, _ isAccepted: Bool) throws {
        var authenticator = try Authenticator.es256()
        authenticator.credentialID = [UInt8](repeating: 7, count: count)
        #expect(try (authenticator.registrationFault() == nil) == isAccepted)
        #expect(try (authenticator.signInFault() == nil) == isAccepted)
        // The length within the attestation object has the same limits.
        let object = authenticator.attestationObject.encoded
        authenticator.credentialID = [7]
        #expect(try registrationFault(authenticator.registration(object))?.kind == (count == 1 ? nil : "malformed"))
    }
}

extension ResponseTests {
    private func registrationFault(_ credential: JSONObject) throws -> WebAuthnFault? {
        do {
            _ = try Authenticator.relyingParty.verify(
                RegistrationResponse(credential), challenge: Authenticator.challenge)
            return nil
        } catch {
            return error
        }
    }

    private func signInFault(_ credential: JSONObject, _ known: Authenticator) throws -> WebAuthnFault? {
        do {
            _ = try Authenticator.relyingParty.verify(
                AssertionResponse(credential), challenge: Authenticator.challenge,
                with: KnownCredential(id: known.credentialID, publicKey: known.publicKey, signCount: 0))
            return nil
        } catch {
            return error
        }
    }
}
