import JSON
import Testing

@testable import WebAuthn

@Suite("Passkeys")
struct RelyingPartyTests {
    @Test("a registration is accepted, and then a sign-in with its key, by each algorithm")
    func accepted() throws {
        for authenticator in try Authenticator.each() {
            let credential = try authenticator.register()
            #expect(credential.id == authenticator.credentialID && credential.publicKey == authenticator.publicKey)
            #expect(credential.transports == ["hybrid", "internal"])
            #expect(credential.isUserVerified && credential.isBackupEligible && credential.isBackedUp)
            #expect(try authenticator.signIn().signCount == 0)
        }
    }
}
