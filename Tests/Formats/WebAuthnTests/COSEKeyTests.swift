import JOSE
import JSON
import OpenSSL
import Testing

@testable import WebAuthn

@Suite("Passkeys: public keys")
struct COSEKeyTests {
    private static let p256 = try! P256PrivateKey.generate().publicKey
    private static let ed25519 = try! Ed25519PrivateKey.generate().publicKey
    private static let rsa = try! RSAPrivateKey.generate()

    private static let es256: [CBOR.Entry] = [
        .init(1, 2), .init(3, -7), .init(-1, 1), .init(-2, .bytes(p256.x)), .init(-3, .bytes(p256.y)),
    ]
    private static let edDSA: [CBOR.Entry] = [
        .init(1, 1), .init(3, -8), .init(-1, 6), .init(-2, .bytes(ed25519.raw)),
    ]
    private static let rs256: [CBOR.Entry] = [
        .init(1, 3), .init(3, -257), .init(-1, .bytes(rsa.modulus)), .init(-2, .bytes([1, 0, 1])),
    ]

    /// The key with other values of some labels; nil removes one.
    private static func changed(_ key: [CBOR.Entry], _ changes: (CBOR, CBOR?)...) -> CBOR {
        var entries = key
        for (label, value) in changes {
            entries.removeAll { $0.key == label }
            if let value { entries.append(.init(label, value)) }
        }
        return .map(entries)
    }

    @Test("the keys of the three algorithms are accepted, whatever the order of their parameters")
    func accepted() throws {
        for (key, algorithm) in zip([Self.es256, Self.edDSA, Self.rs256], PasskeyAlgorithm.allCases) {
            for count in key.indices {
                let encoded = Self.encodedAsOrdered(Array(key[count...] + key[..<count]))
                #expect(try PasskeyAlgorithm(ofPublicKey: encoded) == algorithm)
            }
        }
    }

    private static func encodedAsOrdered(_ entries: [CBOR.Entry]) -> [UInt8] {
        [0xA0 | UInt8(entries.count)] + entries.flatMap { $0.key.encoded + $0.value.encoded }
    }

    static let refused: [(String, CBOR)] = {
        let (x, y) = (p256.x, p256.y)
        let smallModulus = [0x80] + [UInt8](repeating: 1, count: 254)
        return [
            ("no map", .bytes([])), ("nothing", .map([])),
            ("an algorithm that is not offered", changed(es256, (3, -35))), ("no algorithm", changed(es256, (3, nil))),
            ("the algorithm as a text", changed(es256, (3, "ES256"))),
            ("another type", changed(es256, (1, 1))), ("no type", changed(es256, (1, nil))),
            ("another curve", changed(es256, (-1, 2))), ("no curve", changed(es256, (-1, nil))),
            ("Ed25519's curve", changed(es256, (-1, 6))), ("a private key", changed(es256, (-4, .bytes(x)))),
            ("a key id", changed(es256, (2, .bytes([1])))), ("operations", changed(es256, (4, .array([2])))),
            ("another parameter", changed(es256, ("more", 1))), ("no y", changed(es256, (-3, nil))),
            ("y by its sign", changed(es256, (-3, .bool(true)))), ("an empty y", changed(es256, (-3, .bytes([])))),
            ("a short x", changed(es256, (-2, .bytes(Array(x.dropLast()))))),
            ("a long x", changed(es256, (-2, .bytes([0] + x)))), ("a long y", changed(es256, (-3, .bytes(y + [0])))),
            ("x and y exchanged", changed(es256, (-2, .bytes(y)), (-3, .bytes(x)))),
            ("a point that is not on the curve", changed(es256, (-3, .bytes(y.dropLast() + [y[31] ^ 1])))),
            (
                "zeros",
                changed(
                    es256, (-2, .bytes(Array(repeating: 0, count: 32))), (-3, .bytes(Array(repeating: 0, count: 32))))
            ),
            ("x beyond the field", changed(es256, (-2, .bytes(Array(repeating: 0xFF, count: 32))))),
            ("a key of ES256 as EdDSA", changed(es256, (3, -8))), ("a key of EdDSA as ES256", changed(edDSA, (3, -7))),
            ("Ed25519: another type", changed(edDSA, (1, 2))), ("Ed25519: X25519's curve", changed(edDSA, (-1, 4))),
            ("Ed25519: Ed448's curve", changed(edDSA, (-1, 7))),
            ("Ed25519: a short key", changed(edDSA, (-2, .bytes(Array(ed25519.raw.dropLast()))))),
            ("Ed25519: a long key", changed(edDSA, (-2, .bytes(ed25519.raw + [0])))),
            ("Ed25519: a private key", changed(edDSA, (-4, .bytes(ed25519.raw)))),
            ("Ed25519: no key", changed(edDSA, (-2, nil))), ("Ed25519: a text", changed(edDSA, (-2, "x"))),
            ("RSA: another type", changed(rs256, (1, 2))),
            ("RSA: 2040 bits", changed(rs256, (-1, .bytes(smallModulus)))),
            ("RSA: an even modulus", changed(rs256, (-1, .bytes(rsa.modulus.dropLast() + [2])))),
            ("RSA: zeros before the modulus", changed(rs256, (-1, .bytes([0] + rsa.modulus)))),
            ("RSA: zeros before the exponent", changed(rs256, (-2, .bytes([0, 1, 0, 1])))),
            ("RSA: an empty modulus", changed(rs256, (-1, .bytes([])))),
            ("RSA: an empty exponent", changed(rs256, (-2, .bytes([])))),
            ("RSA: exponent 1", changed(rs256, (-2, .bytes([1])))),
            ("RSA: exponent 2", changed(rs256, (-2, .bytes([2])))),
            ("RSA: an exponent as a number", changed(rs256, (-2, 65537))),
            ("RSA: a private key", changed(rs256, (-3, .bytes(rsa.modulus)))),
            ("RSA: 9000 bits", changed(rs256, (-1, .bytes([UInt8](repeating: 0xFF, count: 1125))))),
        ]
    }()

    @Test("a key with another parameter, value or length is refused", arguments: refused.indices)
    func refusedKey(_ index: Int) throws {
        let (name, key) = Self.refused[index]
        var authenticator = try Authenticator.es256()
        authenticator.publicKey = key.encoded
        #expect(try authenticator.registrationFault()?.kind == "malformed", "\(name)")
        #expect(try authenticator.signInFault() != nil, "\(name)")
        #expect(throws: WebAuthnFault.self, "\(name)") { try PasskeyAlgorithm(ofPublicKey: key.encoded) }
    }

    /// Encodings of Ed25519, least significant byte first.
    static let points: [(String, Bool, [UInt8])] = {
        let prime: [UInt8] = [0xED] + Array(repeating: 0xFF, count: 30) + [0x7F]
        func number(_ value: UInt8) -> [UInt8] { [value] + Array(repeating: 0, count: 31) }
        func shifted(_ value: UInt8, sign: UInt8 = 0) -> [UInt8] { [0xED &+ value] + prime[1..<31] + [0x7F | sign] }
        let order8: [UInt8] = [
            0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0,
            0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
        ]
        let otherOrder8: [UInt8] = [
            0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F,
            0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
        ]
        let base = [UInt8](repeating: 0x66, count: 31)
        return [
            ("the base point", true, [0x58] + base),
            ("the base point with the other sign", true, [0x58] + base.dropLast() + [0xE6]),
            ("y = 2, which is on no curve", false, number(2)), ("y = 3", true, number(3)),
            ("order 1", false, number(1)), ("order 1, with the sign of zero", false, number(1).dropLast() + [0x80]),
            ("order 2", false, shifted(0xFF)),
            ("order 2, with the sign of zero", false, shifted(0xFF, sign: 0x80)),
            ("order 4", false, number(0)), ("order 4, other sign", false, number(0).dropLast() + [0x80]),
            ("order 8", false, order8), ("order 8, other sign", false, order8.dropLast() + [0x85]),
            ("order 8, other y", false, otherOrder8), ("order 8, both", false, otherOrder8.dropLast() + [0xFA]),
            ("order 4, as the prime", false, shifted(0)), ("order 1, as the prime and one", false, shifted(1)),
            ("y = 3, as the prime and three", false, shifted(3)),
            ("all bits", false, Array(repeating: 0xFF, count: 32)),
        ]
    }()

    @Test(
        "a key of Ed25519 is a point on the curve, in its only encoding, of which no signature can be forged",
        arguments: points.indices)
    func ed25519Point(_ index: Int) throws {
        let (name, isAccepted, raw) = Self.points[index]
        var authenticator = try Authenticator.es256()
        authenticator.publicKey = Self.changed(Self.edDSA, (-2, .bytes(raw))).encoded
        #expect(try (authenticator.registrationFault() == nil) == isAccepted, "\(name)")
    }

    @Test("every key that OpenSSL generates for Ed25519 is accepted")
    func generatedKeys() throws {
        for _ in 0..<200 { #expect(try Ed25519PrivateKey.generate().publicKey.isStrong) }
    }

    @Test("an algorithm that the options did not have is refused")
    func notOffered() throws {
        for authenticator in try Authenticator.each() {
            let response = try RegistrationResponse(authenticator.registration())
            let algorithm = try authenticator.register().algorithm
            for offered in PasskeyAlgorithm.allCases {
                let credential = try? Authenticator.relyingParty.verify(
                    response, challenge: Authenticator.challenge, algorithms: [offered])
                #expect((credential != nil) == (offered == algorithm))
            }
        }
    }

    @Test("a signature of ES256 has one encoding: not raw, not longer than it has to be, nothing after it")
    func derSignatures() throws {
        let key = try P256PrivateKey.generate()
        let authenticator = Authenticator(.p256(key))
        let known = KnownCredential(id: authenticator.credentialID, publicKey: authenticator.publicKey, signCount: 0)
        func fault(_ change: ([UInt8], [UInt8], [UInt8]) -> [UInt8]) throws -> WebAuthnFault? {
            var credential = try authenticator.assertion()
            guard var response = credential["response"]?.object else { return nil }
            let data = try #require(response["authenticatorData"]?.string.flatMap { Base64URL.decode($0) })
            let raw = try key.sign(data + SHA256.hash(authenticator.clientDataJSON("webauthn.get")))
            let (r, s) = (P256Signature.integer(raw[..<32]), P256Signature.integer(raw[32...]))
            response["signature"] = .octets(change(raw, r, s))
            credential["response"] = .object(response)
            do {
                _ = try Authenticator.relyingParty.verify(
                    AssertionResponse(credential), challenge: Authenticator.challenge, with: known)
            } catch { return error }
            return nil
        }
        func sequence(_ content: [UInt8]) -> [UInt8] { [0x30, UInt8(content.count)] + content }
        func padded(_ integer: [UInt8]) -> [UInt8] { [0x02, integer[1] + 1, 0] + integer[2...] }
        #expect(try fault { _, r, s in sequence(r + s) } == nil)
        let changes: [([UInt8], [UInt8], [UInt8]) -> [UInt8]] = [
            { raw, _, _ in raw }, { _, _, _ in [] }, { _, r, s in sequence(r + s) + [0] },
            { _, r, s in sequence(r + s + [0]) },
            { _, r, s in sequence(padded(r) + s) }, { _, r, s in sequence(r + padded(s)) },
            { _, r, s in [0x30, 0x81, UInt8((r + s).count)] + r + s }, { _, r, s in [0x30, 0x80] + r + s + [0, 0] },
            { _, r, s in sequence(s + r) }, { _, r, s in sequence(r) },
            { _, r, s in Array(sequence(r + s).dropLast()) },
            { _, r, s in [0x31] + sequence(r + s).dropFirst() }, { _, _, _ in sequence([2, 1, 0, 2, 1, 0]) },
            { _, r, _ in sequence(r + [2, 1, 0]) }, { _, _, _ in sequence([2, 1, 1, 2, 1, 1]) },
            { _, r, s in sequence([0x02, 0x81] + r.dropFirst() + s) },
        ]
        for (index, change) in changes.enumerated() { #expect(try fault(change) == .signature, "\(index)") }
    }

    @Test("a signature of another length, and an empty one, are refused by each algorithm")
    func signatureLengths() throws {
        for authenticator in try Authenticator.each() {
            let known = KnownCredential(
                id: authenticator.credentialID, publicKey: authenticator.publicKey, signCount: 0)
            let credential = try authenticator.assertion()
            let signature = try AssertionResponse(credential).signature
            for other in [
                [], [0], signature + [0], [0] + signature, Array(signature.dropLast()), signature + signature,
            ] {
                var changed = credential
                ResponseTests.Change.response("signature", .octets(other)).make(&changed)
                #expect(throws: WebAuthnFault.signature) {
                    try Authenticator.relyingParty.verify(
                        AssertionResponse(changed), challenge: Authenticator.challenge, with: known)
                }
            }
        }
    }
}
