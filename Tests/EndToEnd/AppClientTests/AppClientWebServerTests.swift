import Foundation
import GatehouseClient
import JSON
import StandIn
import TestSupport
import Testing

@testable import ServerSupport

/// Sign-ins in a browser, whose part a test plays, at the real server, which demands a nonce in each proof. A stand-in plays the
/// provider.
@Suite("App: a browser, at the server")
struct AppClientWebServerTests {
    private static let redirectURI = "com.example.app:/signed-in"
    private static let issuer = "https://gatehouse.example"

    private let providers: StandInServer
    private let app: AppClientFixture
    private let keys = TestDeviceKeys()
    private let folder: TemporaryFolder

    init() throws {
        let (providers, folder) = (try StandInServer(), try TemporaryFolder())
        try providers.service.register(redirectURI: Self.issuer + "/api/auth/acme/callback", at: "acme")
        let file = """
            KIND=openid
            ISSUER=\(providers.issuer("acme"))
            AUDIENCE=com.example.app
            CLIENT_ID=com.example.web
            CLIENT_SECRET=o0123456789abcdef0123456789abcdef
            AUTHORIZATION_URL=\(providers.issuer("acme"))/authorize
            TOKEN_URL=\(providers.issuer("acme"))/token

            """
        try file.write(toFile: folder.file("acme.conf"), atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.file("acme.conf"))
        let server = try ServerBehindNginx {
            $0["PROVIDERS_DIR"] = folder.path
            $0["TOKEN_ISSUER"] = Self.issuer
            $0["REDIRECT_URIS"] = "\(Self.redirectURI),https://app.example.com/in?from=a"
            $0["DPOP_NONCE"] = "required"
        }
        app = try AppClientFixture(server)
        (self.providers, self.folder) = (providers, folder)
    }

    private func client() -> GatehouseClient { app.client(FaultyStore(), binding: .keys(keys)) }

    private func begin(_ client: GatehouseClient, _ redirectURI: String = redirectURI) throws -> WebSignIn {
        try client.webSignIn(with: "acme", redirectURI: redirectURI, issuer: Self.issuer)
    }

    /// The address at which the user's browser ends. On a busy machine the stand-in may answer too late for the server,
    /// and the user tries again.
    private func browse(_ webSignIn: WebSignIn) throws -> URL {
        var end = ""
        _ = try Eventually.holds {
            let jar = folder.file(UUID().uuidString)
            end = try location(of: webSignIn.url.absoluteString, jar)
            guard !end.contains("error=temporarily_unavailable") else { return false }
            let callback = try location(of: end, jar, "--data", "action=continue&user=ann%40example.com")
            end = try location(of: callback.replacing(Self.issuer, with: app.url.absoluteString), jar)
            return !end.contains("error=temporarily_unavailable")
        }
        return try #require(URL(string: end))
    }

    private func location(of address: String, _ jar: String, _ options: String...) throws -> String {
        let curl = [
            "curl", "-sS", "--include", "--noproxy", "*", "--max-time", "30", "--cacert", app.server.certificate,
            "--cookie", jar, "--cookie-jar", jar,
        ]
        let answer = TestResponse(parsing: try Shell.run(curl + options + [address]))
        #expect(answer.status == 303, "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
        return try #require(answer.header("location"))
    }

    /// Nil if this machine was so busy that the code's minute has passed: then the test shows nothing.
    private func signIn(
        _ client: GatehouseClient, _ webSignIn: WebSignIn, nickname: String? = nil
    ) async throws -> Session? {
        let start = ContinuousClock.now
        do {
            return try await client.signIn(completing: webSignIn, with: browse(webSignIn), nickname: nickname)
        } catch {
            guard start.duration(to: .now) > .seconds(50) else { throw error }
            return nil
        }
    }

    @Test("The answer of the browser signs in with a bound session, although the first proof lacks the server's nonce")
    func signsIn() async throws {
        let client = client()
        guard let session = try await signIn(client, begin(client), nickname: "Ann") else { return }
        #expect(session.isNewUser && session.user.nickname == "Ann")
        #expect(app.transport.sent("auth/exchange").map(\.status) == [401, 200])
        #expect(try await client.sessions().map(\.bound) == [true])
        #expect(try await client.accounts().map(\.provider) == ["acme"])
        app.expireToken()
        #expect(try await client.user().id == session.user.id)

        let again = try begin(client, "https://app.example.com/in?from=a")
        guard let second = try await signIn(client, again) else { return }
        #expect(!second.isNewUser && second.user.id == session.user.id)
        // The library tells the server in the background that the session before has ended.
        #expect(try await Eventually.becomesTrue(every: 0.1) { try await client.sessions().count == 1 })
    }
}
