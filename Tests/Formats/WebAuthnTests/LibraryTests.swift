import Foundation
import JOSE
import JSON
import TestSupport
import Testing

@testable import WebAuthn

private let python = Executable.root + "/.build/python/bin/python"

/// Two libraries that share no code with this one.
@Suite(
    "Passkeys and other libraries", .needs(.passkeyLibraries),
    .enabled(
        if: FileManager.default.isExecutableFile(atPath: python),
        "there is no .build/python/bin/python: deploy/lib/packages test-all makes it"))
struct LibraryTests {
    private static let script = Executable.root + "/Tests/Formats/WebAuthnTests/Libraries/passkeys.py"

    @Test("what python-fido2 makes is accepted here, and by itself and py_webauthn")
    func made() throws {
        let output = try Shell.run([python, "-B", Self.script, "make"])
        let pairs = try #require(try JSONValue(parsing: output).array?.compactMap(\.object))
        #expect(pairs.count == 48)
        for pair in pairs {
            let challenge = try #require(pair["challenge"]?.string.flatMap { Base64URL.decode($0) })
            let registration = try RegistrationResponse(#require(pair["registration"]?.object))
            let credential = try Authenticator.relyingParty.verify(registration, challenge: challenge)
            let known = KnownCredential(
                id: credential.id, publicKey: credential.publicKey, signCount: credential.signCount)
            let response = try AssertionResponse(#require(pair["assertion"]?.object))
            let assertion = try Authenticator.relyingParty.verify(response, challenge: challenge, with: known)
            #expect(
                assertion.signCount == (credential.signCount == 0 ? 0 : 42) && response.userHandle == Array("ann".utf8))
        }
        #expect(try Self.verify(pairs).allSatisfy { $0 == ["fido2": true, "webauthn": true] })
    }

    @Test("whatever is accepted here, both libraries accept: each bit of a registration changed, and the plain answers")
    func accepted() throws {
        var pairs: [JSONObject] = []
        for authenticator in try Authenticator.each() {
            let (registration, assertion) = (authenticator.registration(), try authenticator.assertion())
            pairs.append(Self.pair(registration, assertion))
            let bytes = authenticator.attestationObject.encoded
            for bit in 0..<min(bytes.count, 250) * 8 {
                var changed = bytes
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                let answer = authenticator.registration(changed)
                let verified = try? Authenticator.relyingParty.verify(
                    RegistrationResponse(answer), challenge: Authenticator.challenge)
                // The counter of the sign-in is zero, and the key the first one.
                guard let verified, verified.signCount == 0, verified.publicKey == authenticator.publicKey else {
                    continue
                }
                pairs.append(Self.pair(answer, assertion))
            }
        }
        // At least the model of the authenticator may be any.
        #expect(pairs.count > 3 * 128)
        for (index, result) in try Self.verify(pairs).enumerated() {
            #expect(result == ["fido2": true, "webauthn": true], "\(pairs[index])")
        }
    }

    @Test("a sign-in that both libraries refuse is refused here: each bit of authenticator data and signature changed")
    func refused() throws {
        let authenticator = try Authenticator.es256()
        let (registration, assertion) = (authenticator.registration(), try authenticator.assertion())
        var pairs: [JSONObject] = []
        for name in ["authenticatorData", "signature"] {
            let bytes = try #require(assertion["response"]?.object?[name]?.string.flatMap { Base64URL.decode($0) })
            for bit in 0..<bytes.count * 8 {
                var (changed, answer) = (bytes, assertion)
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                ResponseTests.Change.response(name, .octets(changed)).make(&answer)
                pairs.append(Self.pair(registration, answer))
            }
        }
        let known = KnownCredential(id: authenticator.credentialID, publicKey: authenticator.publicKey, signCount: 0)
        for result in try Self.verify(pairs) { #expect(result["fido2"] != true && result["webauthn"] != true) }
        for pair in pairs {
            #expect(throws: WebAuthnFault.self) {
                try Authenticator.relyingParty.verify(
                    AssertionResponse(#require(pair["assertion"]?.object)), challenge: Authenticator.challenge,
                    with: known)
            }
        }
    }

    private static func pair(_ registration: JSONObject, _ assertion: JSONObject) -> JSONObject {
        [
            "challenge": .octets(Authenticator.challenge), "registration": .object(registration),
            "assertion": .object(assertion),
        ]
    }

    /// True for each library that accepts a pair, otherwise its message.
    private static func verify(_ pairs: [JSONObject]) throws -> [JSONObject] {
        let input = JSONValue.array(pairs.map { .object($0) }).bytes
        let output = try Shell.run([python, "-B", script, "verify"], input: input)
        return try #require(try JSONValue(parsing: output).array?.compactMap(\.object))
    }
}
