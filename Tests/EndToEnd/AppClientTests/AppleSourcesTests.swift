import Foundation
import TestSupport
import Testing

@testable import ServerSupport

/// The sources of the library that only Apple's platforms compile.
@Suite("Apple's part of the client")
struct AppleSourcesTests {
    /// An app that uses all of it. It does not compile if the conditions for Apple's platforms left anything out.
    private static let app = """
        import AuthenticationServices
        import Foundation
        import GatehouseClient

        @MainActor
        final class Login {
            let client = GatehouseClient(
                URL(string: "https://api.example.com")!,
                store: KeychainSessionStore(service: "example", account: "main", accessGroup: "TEAM.com.example"))
            lazy var apple = AppleSignIn(client, defaults: .standard) { [unowned self] in window }
            let window: ASPresentationAnchor
            var challenge: LoginChallenge?

            init(window: ASPresentationAnchor) { self.window = window }

            func signIn() async throws -> Session? {
                do {
                    return try await apple.signIn(scopes: [.fullName])
                } catch .cancelled {
                    return nil
                } catch .gatehouse(let error) {
                    throw error
                }
            }

            func codeForDeletion() async throws -> String? { try await apple.authorize().authorizationCode }

            func followChallenges() async { for await next in apple.challenges() { challenge = next } }

            func onRequest(_ request: ASAuthorizationAppleIDRequest) {
                if let challenge { apple.prepare(request, with: challenge) }
            }

            func onCompletion(_ result: Result<ASAuthorization, any Error>) async throws -> Session {
                try await apple.signIn(completing: result)
            }

            func linking(_ result: Result<ASAuthorization, any Error>) throws -> AppleLogin {
                try apple.login(from: result)
            }

            func signInOnTheWeb() async throws(WebSignInError) {
                try await client.signInOnTheWeb(
                    with: .google, redirectURI: "https://app.example.com/signed-in", issuer: "https://api.example.com",
                    nickname: "Ann", isEphemeral: true
                ) { self.window }
            }

            func passkeys() async throws(PasskeySignInError) {
                try await client.signInWithPasskey(or: apple, ifAvailable: true) { self.window }
                try await client.signInWithSuggestedPasskey { self.window }
                try await client.signUpWithPasskey(
                    nickname: nil, contact: nil, asking: [.phone], or: apple, anchor: { self.window })
                try await client.addPasskey(name: "Phone") { self.window }
            }

            func onAppear() async { await apple.watchCredential() }
            func onActive() async { await apple.checkCredential() }
        }
        """

    @Test("The compiler accepts the library and an app with Apple's signatures in Swift 6, without a warning")
    func compiles() throws {
        let folder = try TemporaryFolder()
        try Self.app.write(toFile: folder.file("App.swift"), atomically: true, encoding: .utf8)
        let outcome = try StubModules.shared.get().compile([folder.file("App.swift")])
        #expect(outcome.status == 0, "\(outcome.errorOutput)")
    }

    @Test(
        "With stubs that answer, the Keychain store, the keys and each way to sign in do what their programs expect",
        arguments: ["Keychain", "DeviceKeys", "AppleSignIn", "WebBrowser", "Passkeys"])
    func runs(program: String) throws {
        let outcome = try StubModules.shared.get().run(program: program)
        #expect(outcome.status == 0, "\(outcome.text)\(outcome.errorOutput)")
    }
}
