import Foundation
import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// OAuth clients that share no code with the server, through nginx.
@Suite("OAuth libraries")
struct OAuthLibraryTests {
    private static let python = Executable.root + "/.build/python"
    private static let fixture = Result { try WebSignInFixture(.nginx) }

    @Test(
        "Authlib and oauthlib sign in, use the token and refresh, with PKCE that they make themselves",
        arguments: [
            ("authlib", WebSignInFixture.page), ("oauthlib", "com.example.app:/signed-in"),
            ("authlib", "http://127.0.0.1:49152/signed-in"),
        ])
    func library(_ name: String, _ redirectURI: String) throws {
        let result = try run(name, redirectURI)
        #expect(result["tokenType"] == "Bearer" && result["expiresIn"] == 900)
    }

    @Test(
        "requests_oauth2client does so with a session that is bound to a key, and revokes it",
        .enabled(
            if: FileManager.default.fileExists(atPath: python + "/bin/python")
                && ((try? Shell.run([python + "/bin/python", "-c", "import requests_oauth2client"])) != nil),
            "there is no requests_oauth2client in .build/python: deploy/lib/packages test-all gets it from PyPI"))
    func bound() throws {
        let result = try run("requests_oauth2client", WebSignInFixture.page, by: Self.python + "/bin/python")
        #expect(result["tokenType"] == "DPoP")
    }

    private func run(
        _ name: String, _ redirectURI: String, by python: String = "/usr/bin/python3"
    ) throws -> JSONObject {
        let fixture = try Self.fixture.get()
        let server = try #require(fixture.server as? ServerBehindNginx)
        let script = Executable.root + "/Tests/EndToEnd/Scripts/oauth-client.py"
        let output = try Shell.run([
            python, script, name, "https://localhost:\(server.port)", server.certificate,
            WebSignInFixture.origin, "acme", redirectURI,
        ])
        let result = try #require(try JSONValue(parsing: output).object)
        #expect(result["user"]?.string?.hasPrefix("user_") == true)
        #expect(result["rotated"] == true && result["statusAfterRefresh"] == 200)
        return result
    }
}
