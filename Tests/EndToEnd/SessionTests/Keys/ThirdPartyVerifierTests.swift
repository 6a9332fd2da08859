import Foundation
import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// Verifies our tokens with another JOSE library, which fetches the key set through nginx over TLS.
@Suite("Access token verification by another JOSE library")
struct ThirdPartyVerifierTests {
    private static let algorithms = ["ES256", "EdDSA"]

    /// A server that signs with one algorithm and publishes a key of the other one too. The keys are generated
    /// with the command that operators use.
    private func server(signingWith algorithm: String, keys folder: TemporaryFolder) throws -> ServerBehindNginx {
        for algorithm in Self.algorithms {
            try Shell.run([
                Executable.gatehouse, "keys", "generate", "--alg", algorithm, "--out", folder.file(algorithm),
            ])
        }
        return try ServerBehindNginx {
            $0["JWT_ACCESS_SECRET"] = nil
            $0["ACCESS_SIGNING_KEY_FILE"] = folder.file(algorithm)
            $0["ACCESS_SIGNING_KEY_PREVIOUS_FILE"] = folder.file(Self.algorithms.first { $0 != algorithm } ?? "")
            $0["TOKEN_ISSUER"] = "https://login.example.com"
            $0["TOKEN_AUDIENCE"] = "photos"
        }
    }

    private func verify(
        _ token: String, _ algorithm: String, at server: ServerBehindNginx, audience: String = "photos"
    ) throws -> Shell.Outcome {
        try Shell.outcome(
            of: [
                "/usr/bin/python3", Executable.root + "/Tests/EndToEnd/Scripts/verify-access-token.py",
                "https://localhost:\(server.port)/.well-known/jwks.json", algorithm, "https://login.example.com",
                audience,
            ],
            environment: ["SSL_CERT_FILE": server.folder.file("nginx/certificate.pem")], input: Array(token.utf8))
    }

    @Test(
        "The library accepts our tokens, reads the same claims, and refuses changed tokens and another audience",
        arguments: algorithms)
    func verified(_ algorithm: String) throws {
        let keys = try TemporaryFolder()
        let server = try server(signingWith: algorithm, keys: keys)
        let login = try server.devLogin("other@example.com")
        let outcome = try verify(login.accessToken, algorithm, at: server)
        #expect(outcome.status == 0, "\(outcome.text)\(outcome.errorOutput)")
        let claims = try #require(try JSONValue(parsing: outcome.output).object)
        #expect(claims["sub"] == login["user"]?.object?["id"])
        #expect(claims["iss"] == "https://login.example.com")
        #expect(claims["aud"] == "photos")

        let changed = try verify(ForgedToken.withRoleRaised(login.accessToken), algorithm, at: server)
        #expect(changed.status == 1, "\(changed.errorOutput)")
        #expect(changed.text == "InvalidSignatureError\n")
        let other = try verify(login.accessToken, algorithm, at: server, audience: "notes")
        #expect(other.text == "InvalidAudienceError\n")
    }
}
