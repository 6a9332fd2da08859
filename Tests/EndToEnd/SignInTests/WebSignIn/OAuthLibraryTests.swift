import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// OAuth clients that share no code with the server, through nginx.
@Suite("OAuth libraries")
struct OAuthLibraryTests {
    private static let fixture = Result { try WebSignInFixture(.nginx) }

    @Test(
        "Authlib and oauthlib sign in, use the token and refresh, with PKCE that they make themselves",
        arguments: [
            ("authlib", WebSignInFixture.page), ("oauthlib", "com.example.app:/signed-in"),
            ("authlib", "http://127.0.0.1:49152/signed-in"),
        ])
    func library(_ name: String, _ redirectURI: String) throws {
        let fixture = try Self.fixture.get()
        let server = try #require(fixture.server as? ServerBehindNginx)
        let script = Executable.root + "/Tests/EndToEnd/Scripts/oauth-client.py"
        let output = try Shell.run([
            "/usr/bin/python3", script, name, "https://localhost:\(server.port)", server.certificate,
            WebSignInFixture.origin, "acme", redirectURI,
        ])
        let result = try #require(try JSONValue(parsing: output).object)
        #expect(result["tokenType"] == "Bearer" && result["expiresIn"] == 900)
        #expect(result["user"]?.string?.hasPrefix("user_") == true)
        #expect(result["rotated"] == true && result["statusAfterRefresh"] == 200)
    }
}
