import JOSE
import JSON
import Testing

@testable import WebAuthn

/// Every bit of an answer, one at a time, and every length.
@Suite("Passkeys: changed answers")
struct MutationTests {
    @Test("a sign-in with one bit changed anywhere is refused, by each algorithm", arguments: 0..<3)
    func signIn(_ algorithm: Int) throws {
        let authenticator = try Authenticator.each()[algorithm]
        let known = KnownCredential(id: authenticator.credentialID, publicKey: authenticator.publicKey, signCount: 0)
        let credential = try authenticator.assertion()
        let isAccepted = { (credential: JSONObject) in
            (try? Authenticator.relyingParty.verify(
                AssertionResponse(credential), challenge: Authenticator.challenge, with: known)) != nil
        }
        #expect(isAccepted(credential))
        for name in ["clientDataJSON", "authenticatorData", "signature"] {
            try forEachChange(of: name, in: credential) { changed, place in
                #expect(!isAccepted(changed), "\(name) \(place)")
            }
        }
    }

    /// Without attestation nothing in a registration is signed, so a changed bit can only be refused if it breaks a rule. These
    /// break none: the counter, the aaguid, reserved flags, the flags of backup together with each other, and the names of
    /// members of client data that are not known.
    @Test("a registration with one bit changed is refused, unless the bit is a choice of the client")
    func registration() throws {
        let authenticator = try Authenticator.es256()
        let credential = authenticator.registration()
        let isAccepted = { (credential: JSONObject) in
            (try? Authenticator.relyingParty.verify(
                RegistrationResponse(credential), challenge: Authenticator.challenge)) != nil
        }
        #expect(isAccepted(credential))
        let data =
            authenticator.attestationObject.encoded.count
            - authenticator.authenticatorData(0, authenticator.attestedCredential).count
        // Two reserved flags, and that of a backup.
        let flags = (data + 32) * 8
        let free = Set([flags + 1, flags + 5, flags + 4]).union((data + 33) * 8..<(data + 37) * 8)
            .union((data + 37) * 8..<(data + 53) * 8)
        try forEachChange(of: "attestationObject", in: credential) { changed, place in
            if case .bit(let bit) = place, free.contains(bit) {
                #expect(isAccepted(changed), "\(place)")
            } else {
                #expect(!isAccepted(changed), "\(place)")
            }
        }
        let name = Array("crossOrigin".utf8)
        let text = authenticator.clientDataJSON("webauthn.create")
        let start = try #require(text.indices.first { text[$0...].starts(with: name) })
        try forEachChange(of: "clientDataJSON", in: credential) { changed, place in
            if case .bit(let bit) = place, (start..<start + name.count).contains(bit / 8) { return }
            #expect(!isAccepted(changed), "\(place)")
        }
    }

    @Test(
        "a registration that repeats its authenticator data is refused with any bit of either changed, but one client's text"
    )
    func repeated() throws {
        let authenticator = try Authenticator.es256()
        var credential = authenticator.registration()
        let data = try AttestationObject(authenticator.attestationObject.encoded).authenticatorData
        ResponseTests.Change.response("authenticatorData", .octets(data)).make(&credential)
        for name in ["attestationObject", "authenticatorData"] {
            try forEachChange(of: name, in: credential) { changed, place in
                #expect(throws: WebAuthnFault.self, "\(name) \(place)") {
                    try Authenticator.relyingParty.verify(
                        RegistrationResponse(changed), challenge: Authenticator.challenge)
                }
            }
        }
    }

    private enum Place {
        case bit(Int)
        case length(Int)
    }

    /// Each bit changed, each beginning, and a byte after the end.
    private func forEachChange(
        of name: String, in credential: JSONObject, _ check: (JSONObject, Place) throws -> Void
    ) throws {
        let text = try #require(credential["response"]?.object?[name]?.string)
        let bytes = try #require(Base64URL.decode(text))
        func changed(_ bytes: [UInt8]) -> JSONObject {
            var credential = credential
            ResponseTests.Change.response(name, .octets(bytes)).make(&credential)
            return credential
        }
        for bit in 0..<bytes.count * 8 {
            var other = bytes
            other[bit / 8] ^= 1 << UInt8(bit % 8)
            try check(changed(other), .bit(bit))
        }
        for count in bytes.indices { try check(changed(Array(bytes[..<count])), .length(count)) }
        try check(changed(bytes + [0]), .length(bytes.count + 1))
    }
}
