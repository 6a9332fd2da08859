import JOSE
import JSON
import OpenSSL
import Testing

@testable import WebAuthn

@Suite("Passkeys: what a relying party verifies")
struct RelyingPartyTests {
    /// A change, by which a registration and a sign-in must be refused for the same reason.
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fault: WebAuthnFault
        var relyingParty = Authenticator.relyingParty
        let make: @Sendable (inout Authenticator) -> Void
    }

    static let origin = "https://example.org"

    @Test("a registration is accepted, and then a sign-in with its key, by each algorithm")
    func accepted() throws {
        for authenticator in try Authenticator.each() {
            let credential = try authenticator.register()
            #expect(credential.id == authenticator.credentialID && credential.publicKey == authenticator.publicKey)
            #expect(credential.transports == ["hybrid", "internal"])
            #expect(credential.isUserVerified && credential.isBackupEligible && credential.isBackedUp)
            #expect(try authenticator.signIn().signCount == 0)
            let response = try AssertionResponse(authenticator.assertion())
            #expect(response.userHandle == [1, 2, 3] && response.credentialID == credential.id)
        }
    }

    @Test(
        "neither a registration nor a sign-in is accepted with another challenge, origin, frame, relying party or user",
        arguments: [
            Change("another challenge", .challenge) { $0.challenge[31] ^= 1 },
            Change("a shorter challenge", .challenge) { $0.challenge.removeLast() },
            Change("an empty challenge", .challenge) { $0.challenge = [] },
            Change("padding after the challenge", .challenge) {
                $0.clientData["challenge"] = .string(Base64URL.encode($0.challenge) + "=")
            },
            Change("another origin", .origin) { $0.clientData["origin"] = "https://example.com" },
            Change("a subdomain", .origin) { $0.clientData["origin"] = "https://www.example.org" },
            Change("an origin that begins like one of the list", .origin) {
                $0.clientData["origin"] = "https://example.org.example.com"
            },
            Change("a port", .origin) { $0.clientData["origin"] = "https://example.org:8443" },
            Change("without TLS", .origin) { $0.clientData["origin"] = "http://example.org" },
            Change("a slash after the origin", .origin) { $0.clientData["origin"] = "https://example.org/" },
            Change("another case", .origin) { $0.clientData["origin"] = "https://EXAMPLE.org" },
            Change("an empty origin", .origin) { $0.clientData["origin"] = "" },
            Change("another app for Android", .origin) {
                $0.clientData["origin"] = .string("android:apk-key-hash:" + String(repeating: "B", count: 43))
            },
            Change("a frame of an unknown page", .origin) { $0.clientData["crossOrigin"] = true },
            Change("a frame of a page that is not in the list", .origin) {
                $0.clientData["crossOrigin"] = true
                $0.clientData["topOrigin"] = "https://example.com"
            },
            Change("an outer page without a frame", .origin) { $0.clientData["topOrigin"] = "https://example.org" },
            Change("another relying party", .relyingParty) { $0.relyingPartyID = "example.com" },
            Change("a user who was not present", .userVerification) { $0.flags = 0x1C },
            Change("a user who was not verified", .userVerification) { $0.flags = 0x19 },
        ])
    func refused(_ change: Change) throws {
        try expectFault(change.fault, change.relyingParty, change.make)
    }

    @Test(
        "an answer that has not the form of the specification is refused as malformed",
        arguments: [
            Change("a backup of what cannot be backed up") { $0.flags = 0x15 },
            Change("the flag of extensions without extensions") { $0.flags |= 0x80 },
            Change("extensions without their flag") { $0.extensions = [0xA0] },
            Change("extensions that are no map") {
                $0.flags |= 0x80
                $0.extensions = [0x80]
            },
            Change("an extension whose name is a number") {
                $0.flags |= 0x80
                $0.extensions = [0xA1, 0x01, 0x02]
            },
            Change("bytes after the extensions") {
                $0.flags |= 0x80
                $0.extensions = [0xA0, 0x00]
            },
            Change("an extension twice") {
                $0.flags |= 0x80
                $0.extensions = [0xA2, 0x61, 0x61, 0x01, 0x61, 0x61, 0x02]
            },
            Change("another type") { $0.clientData["type"] = "payment.get" },
            Change("a type that is a number") { $0.clientData["type"] = 1 },
            Change("a challenge that is a number") { $0.clientData["challenge"] = 1 },
            Change("no origin") { $0.clientData["origin"] = nil },
            Change("an origin that is a list") { $0.clientData["origin"] = ["https://example.org"] },
            Change("crossOrigin as a text") { $0.clientData["crossOrigin"] = "false" },
            Change("crossOrigin as null") { $0.clientData["crossOrigin"] = .null },
        ])
    func malformed(_ change: Change) throws {
        try expectFault(change.fault, change.relyingParty, change.make)
    }

    private func expectFault(
        _ fault: WebAuthnFault, _ relyingParty: RelyingParty, _ change: (inout Authenticator) -> Void
    ) throws {
        var authenticator = try Authenticator.es256()
        change(&authenticator)
        #expect(try authenticator.registrationFault(relyingParty)?.kind == fault.kind)
        #expect(try authenticator.signInFault(relyingParty)?.kind == fault.kind)
    }

    @Test("an app for Android, a frame of a page in the list, and members that are not known are accepted")
    func acceptedOrigins() throws {
        var authenticator = try Authenticator.es256()
        authenticator.clientData["origin"] = .string(Authenticator.relyingParty.origins[1])
        authenticator.clientData["androidPackageName"] = "com.example.app"
        authenticator.clientData["tokenBinding"] = ["status": "present", "id": "x"]
        try authenticator.register()
        try authenticator.signIn()
        let embedding = RelyingParty(
            id: "example.org", origins: [Self.origin], topOrigins: ["https://example.com"], userVerification: .required)
        authenticator.clientData = [
            "origin": .string(Self.origin), "crossOrigin": true, "topOrigin": "https://example.com",
        ]
        try authenticator.register(with: embedding)
        try authenticator.signIn(with: embedding)
        authenticator.clientData["crossOrigin"] = false
        #expect(try authenticator.signInFault(embedding) == .origin)
        authenticator.clientData["crossOrigin"] = true
        authenticator.clientData["topOrigin"] = "https://example.net"
        #expect(try authenticator.signInFault(embedding) == .origin)
        authenticator.clientData["topOrigin"] = nil
        #expect(try authenticator.signInFault(embedding) == .origin)
    }

    @Test(
        "a user is verified only where the relying party demands it, and the answer says whether",
        arguments: [0x01, 0x05])
    func userVerification(_ flags: UInt8) throws {
        var authenticator = try Authenticator.es256()
        authenticator.flags = flags
        for demand in [UserVerification.preferred, .discouraged] {
            let relyingParty = RelyingParty(id: "example.org", origins: [Self.origin], userVerification: demand)
            #expect(try authenticator.register(with: relyingParty).isUserVerified == (flags == 0x05))
            #expect(try authenticator.signIn(with: relyingParty).isUserVerified == (flags == 0x05))
        }
        #expect(try authenticator.signInFault() == (flags == 0x05 ? nil : .userVerification))
    }

    @Test(
        "a counter has to grow, unless the authenticator has never counted",
        arguments: [
            (0, 0, true), (0, 1, true), (1, 2, true), (1, 1, false), (2, 1, false), (1, 0, false),
            (.max - 1, .max, true), (.max, .max, false), (.max, 0, false), (0, .max, true),
        ] as [(UInt32, UInt32, Bool)])
    func counter(_ stored: UInt32, _ answered: UInt32, _ isAccepted: Bool) throws {
        var authenticator = try Authenticator.es256()
        authenticator.signCount = answered
        if isAccepted {
            #expect(try authenticator.signIn(after: stored).signCount == answered)
        } else {
            #expect(throws: WebAuthnFault.counter) { try authenticator.signIn(after: stored) }
        }
        #expect(try authenticator.register().signCount == answered)
    }

    @Test("a wrong signature is refused before the counter is looked at")
    func signatureBeforeCounter() throws {
        var other = try Authenticator.es256()
        let authenticator = try Authenticator.es256()
        other.publicKey = authenticator.publicKey
        #expect(throws: WebAuthnFault.signature) { try other.signIn(after: 7) }
    }

    @Test("a sign-in is not accepted as a registration, nor the other way round, nor with a new credential")
    func ceremonies() throws {
        var authenticator = try Authenticator.es256()
        authenticator.clientData["type"] = "webauthn.get"
        #expect(try authenticator.registrationFault()?.kind == "malformed")
        authenticator.clientData["type"] = "webauthn.create"
        #expect(try authenticator.signInFault()?.kind == "malformed")
        authenticator.clientData["type"] = nil
        authenticator.flags |= 0x40
        authenticator.extensions = authenticator.attestedCredential
        #expect(try authenticator.signInFault()?.kind == "malformed")
    }

    @Test("the flags of backup may change: credentials move between managers, and nothing rests on these flags")
    func backup() throws {
        var authenticator = try Authenticator.es256()
        authenticator.flags = 0x05
        #expect(try !authenticator.register().isBackupEligible)
        authenticator.flags = 0x1D
        let assertion = try authenticator.signIn()
        #expect(assertion.isBackupEligible && assertion.isBackedUp)
    }

    @Test("extensions are ignored, and reserved flags as well")
    func ignored() throws {
        var authenticator = try Authenticator.es256()
        authenticator.flags |= 0xA2
        authenticator.extensions = CBOR.map([.init("credProtect", 2), .init("hmac-secret", .bool(true))]).encoded
        try authenticator.register()
        try authenticator.signIn()
    }
}

extension RelyingPartyTests.Change {
    init(
        _ name: String, _ fault: WebAuthnFault = .malformed(""),
        _ make: @escaping @Sendable (inout Authenticator) -> Void
    ) {
        self.init(testDescription: name, fault: fault, make: make)
    }
}

extension WebAuthnFault {
    /// Without the text of `malformed`.
    var kind: String { if case .malformed = self { "malformed" } else { "\(self)" } }
}

extension Authenticator {
    func registrationFault(_ relyingParty: RelyingParty = Self.relyingParty) throws -> WebAuthnFault? {
        do { try register(with: relyingParty) } catch let fault as WebAuthnFault { return fault }
        return nil
    }

    func signInFault(_ relyingParty: RelyingParty = Self.relyingParty) throws -> WebAuthnFault? {
        do { try signIn(with: relyingParty) } catch let fault as WebAuthnFault { return fault }
        return nil
    }
}
