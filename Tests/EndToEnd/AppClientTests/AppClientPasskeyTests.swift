import Foundation
import GatehouseClient
import JSON
import StandIn
import TestSupport
import Testing

@testable import ServerSupport

/// Passkeys at the real server. The stand-in's authenticator takes the place of Apple's sheets, which `AppleSourcesTests` runs.
@Suite("App: passkeys, at the server")
struct AppClientPasskeyTests {
    private static let server = Result {
        try ServerBehindNginx { $0["PASSKEY_RP_ID"] = "localhost" }
    }
    private let app: AppClientFixture

    init() throws { app = try AppClientFixture(Self.server.get()) }

    private func answer(
        _ options: PasskeyOptions, _ ceremony: (JSONObject) throws -> JSONObject
    ) throws -> PasskeyCredential {
        let json = try JSONValue(parsing: Array(JSONEncoder().encode(options.publicKey))).object ?? [:]
        return try JSONDecoder().decode(PasskeyCredential.self, from: Data(ceremony(json).bytes))
    }

    private func signUp(
        _ client: GatehouseClient, _ authenticator: inout SoftwareAuthenticator, as profile: PasskeyProfile? = nil
    ) async throws -> Session {
        authenticator.algorithm = .es256
        let options = try await client.passkeySignUp()
        return try await client.signUp(
            passkey: answer(options) { try authenticator.create($0) }, for: options, as: profile)
    }

    private func signIn(
        _ client: GatehouseClient, _ authenticator: inout SoftwareAuthenticator, _ faults: Set<PasskeyFault> = []
    ) async throws -> Session {
        let options = try await client.passkeyLogin()
        return try await client.signIn(
            passkey: answer(options) { try authenticator.sign($0, faults: faults) }, for: options)
    }

    private func problem(_ body: () async throws -> Void) async -> Problem? {
        do { try await body() } catch {
            if case .refused(let problem)? = error as? GatehouseError { return problem }
            Issue.record("\(error)")
        }
        return nil
    }

    @Test(
        "A new user signs up with a passkey alone, with the name and the unproven contact of the sheet, and signs in again"
    )
    func signsUp() async throws {
        var authenticator = SoftwareAuthenticator()
        let client = app.client()
        let session = try await signUp(
            client, &authenticator, as: PasskeyProfile(nickname: "Ann", contact: "ann.new@example.com"))
        #expect(session.isNewUser && session.user.nickname == "Ann" && session.user.email == nil)
        #expect(await client.loginProvider == .passkey)
        let account = try await client.accounts().first
        #expect(account?.provider == .passkey && account?.unprovenContact == "ann.new@example.com")
        let again = try await signIn(app.client(), &authenticator)
        #expect(again.user.id == session.user.id && !again.isNewUser)
    }

    @Test("The session of a passkey is bound to the key of the device")
    func binding() async throws {
        var authenticator = SoftwareAuthenticator()
        let client = app.client(binding: .keys(TestDeviceKeys()))
        _ = try await signUp(client, &authenticator)
        _ = try await signIn(client, &authenticator)
        #expect(try await client.sessions().filter(\.current).map(\.bound) == [true])
    }

    @Test("A user adds a passkey, names it, signs in with it, and deletes it; the last way to sign in stays")
    func manages() async throws {
        var authenticator = SoftwareAuthenticator()
        authenticator.algorithm = .es256
        let client = try await app.signedIn()
        let user = try await client.user().id
        let options = try await client.passkeyAddition()
        let added = try await client.add(
            passkey: answer(options) { try authenticator.create($0) }, for: options, name: "Phone")
        #expect(added.name == "Phone" && added.credentialId == authenticator.passkeys.first?.name)
        #expect(try await client.rename(passkey: added.id, to: "Tablet").name == "Tablet")
        #expect(try await client.passkeys().map(\.name) == ["Tablet"])
        #expect(try await client.rename(passkey: added.id, to: nil).name == nil)
        // The same authenticator has one for this user.
        let second = try await client.passkeyAddition()
        #expect(throws: PasskeyError.excluded) { try self.answer(second) { try authenticator.create($0) } }
        #expect(try await signIn(client, &authenticator).user.id == user)
        let listed = try #require(try await client.passkeys().first)
        try await client.delete(passkey: listed)
        #expect(try await client.passkeys() == [])
        #expect(try await client.accounts().map(\.provider) == [.development])
        let refused = await problem { _ = try await signIn(client, &authenticator) }
        #expect(refused?.code == .invalidPasskey && refused?.reason == .unknown)

        let alone = app.client()
        var other = SoftwareAuthenticator()
        _ = try await signUp(alone, &other)
        let last = try #require(try await alone.passkeys().first)
        #expect(await problem { try await alone.delete(passkey: last) }?.code == .lastAccount)
    }

    @Test("A refusal has the reason that the library names, and a challenge is for one answer")
    func refusals() async throws {
        var authenticator = SoftwareAuthenticator()
        let client = app.client()
        _ = try await signUp(client, &authenticator)
        let reasons: [(PasskeyFault, ProblemReason)] = [
            (.challenge, .challenge), (.origin, .origin), (.rp, .relyingParty), (.signature, .signature),
            (.unknown, .unknown), (.trailing, .malformed),
        ]
        for (fault, reason) in reasons {
            let refused = await problem { _ = try await signIn(client, &authenticator, [fault]) }
            #expect(refused?.code == .invalidPasskey && refused?.reason == reason, "\(fault)")
        }
        let options = try await client.passkeyLogin()
        let answer = try answer(options) { try authenticator.sign($0) }
        try await client.signIn(passkey: answer, for: options)
        let repeated = await problem { try await client.signIn(passkey: answer, for: options) }
        #expect(repeated?.reason == .challenge)
    }

    @Test("An answer that is lost is not sent again, and the user signs in with the new passkey")
    func lostAnswer() async throws {
        var authenticator = SoftwareAuthenticator()
        let client = app.client()
        app.transport.plan("auth/passkey/signup", .loseAnswer)
        await #expect(throws: GatehouseError.noAnswer(.networkConnectionLost)) {
            _ = try await signUp(client, &authenticator)
        }
        #expect(app.transport.sent("auth/passkey/signup").count == 1)
        #expect(try await !signIn(client, &authenticator).isNewUser)
    }

    @Test("A server that fails gets the answer once, and the error says what to do")
    func failingServer() async throws {
        var authenticator = SoftwareAuthenticator()
        let client = app.client()
        _ = try await signUp(client, &authenticator)
        app.transport.plan(
            "auth/passkey", .answer(503, body: FaultyTransport.problem(503, "storage_unavailable")))
        let failed = await problem { _ = try await signIn(client, &authenticator) }
        #expect(failed?.detail.hasSuffix("A challenge can be used once: ask for the passkey again.") == true)
        #expect(app.transport.sent("auth/passkey").count == 1)
    }
}
