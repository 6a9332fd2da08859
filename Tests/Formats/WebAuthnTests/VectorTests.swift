import Foundation
import JOSE
import JSON
import Testing
import Text

@testable import WebAuthn

@Suite("Passkeys: published vectors")
struct VectorTests {
    private static func file(_ name: String) throws -> [JSONObject] {
        let url = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Vectors/\(name).json")
        return try #require(try JSONValue(parsing: Array(Data(contentsOf: url))).array?.compactMap(\.object))
    }

    private static let topOrigin = RelyingParty(
        id: "example.org", origins: ["https://example.org"], topOrigins: ["https://example.com"],
        userVerification: .preferred)
    private static let plain = RelyingParty(
        id: "example.org", origins: ["https://example.org"], userVerification: .preferred)
    /// Three algorithms that no options offer.
    private static let notOffered = ["packed.ES384", "packed.ES512", "packed.Ed448"]

    @Test("the vectors of the specification are accepted, but for other algorithms and for frames of unknown pages")
    func specification() throws {
        let vectors = try Self.file("w3c")
        #expect(vectors.count == 15)
        for vector in vectors {
            let name = try #require(vector["name"]?.string)
            let fault = { try Self.fault(of: vector, $0) }
            switch name {
            case "none.ES256.crossOrigin":
                #expect(try fault(Self.plain) == .origin && fault(Self.topOrigin) == .origin)
            case "none.ES256.topOrigin":
                #expect(try fault(Self.plain) == .origin)
                #expect(try fault(Self.topOrigin) == nil)
            case _ where Self.notOffered.contains(name):
                #expect(try fault(Self.plain) == .malformed("the public key has no alg that is supported"))
            default:
                #expect(try fault(Self.plain) == nil, "\(name)")
            }
        }
    }

    /// The fault of the registration; without one, that of the sign-in.
    private static func fault(of vector: JSONObject, _ relyingParty: RelyingParty) throws -> WebAuthnFault? {
        let id = try hexadecimal(vector["credentialID"])
        let (registration, signIn) = (try #require(vector["registration"]?.object), vector["authentication"]?.object)
        let assertion = try #require(signIn)
        do {
            let credential = try relyingParty.verify(
                RegistrationResponse(answer(id, registration)), challenge: hexadecimal(registration["challenge"]))
            #expect(credential.id == id)
            _ = try relyingParty.verify(
                AssertionResponse(answer(id, assertion)), challenge: hexadecimal(assertion["challenge"]),
                with: KnownCredential(id: id, publicKey: credential.publicKey, signCount: credential.signCount))
        } catch let fault as WebAuthnFault {
            return fault
        }
        return nil
    }

    private static func answer(_ id: [UInt8], _ ceremony: JSONObject) throws -> JSONObject {
        var response: JSONObject = [:]
        for (name, value) in ceremony.members where name != "challenge" {
            response[name] = .octets(try hexadecimal(value))
        }
        return ["id": .octets(id), "rawId": .octets(id), "type": "public-key", "response": .object(response)]
    }

    private static func hexadecimal(_ value: JSONValue?) throws -> [UInt8] {
        try #require(value?.string.flatMap { Hexadecimal.bytes(Array($0.utf8)) })
    }

    @Test("the answers of real authenticators are accepted, for their own relying party, challenge and key alone")
    func authenticators() throws {
        let vectors = try Self.file("py_webauthn")
        #expect(vectors.count == 10)
        for vector in vectors {
            let name = try #require(vector["name"]?.string)
            let (id, origin) = (try #require(vector["rpID"]?.string), try #require(vector["origin"]?.string))
            let challenge = try #require(vector["challenge"]?.string.flatMap { Base64URL.decode($0) })
            let relyingParty = RelyingParty(id: id, origins: [origin], userVerification: .discouraged)
            let verify = { (party: RelyingParty, challenge: [UInt8]) throws in
                try Self.verify(vector, party, challenge)
            }
            #expect(throws: Never.self, "\(name)") { try verify(relyingParty, challenge) }
            #expect(throws: WebAuthnFault.challenge, "\(name)") { try verify(relyingParty, challenge + [0]) }
            let other = RelyingParty(id: id + ".example", origins: [origin], userVerification: .discouraged)
            #expect(throws: WebAuthnFault.relyingParty, "\(name)") { try verify(other, challenge) }
        }
    }

    private static func verify(_ vector: JSONObject, _ relyingParty: RelyingParty, _ challenge: [UInt8]) throws {
        let credential = try #require(vector["credential"]?.object)
        guard let key = vector["publicKey"]?.string else {
            let registered = try relyingParty.verify(RegistrationResponse(credential), challenge: challenge)
            #expect(try PasskeyAlgorithm(ofPublicKey: registered.publicKey) == registered.algorithm)
            return
        }
        let response = try AssertionResponse(credential)
        let signCount = UInt32(try #require(vector["signCount"]?.integer))
        let known = KnownCredential(
            id: response.credentialID, publicKey: try #require(Base64URL.decode(key)), signCount: signCount)
        #expect(try relyingParty.verify(response, challenge: challenge, with: known).signCount >= signCount)
    }
}
