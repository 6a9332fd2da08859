import Foundation
import JSON
import TestSupport
import Testing

/// What others make of our tokens: a JOSE library that is not ours, which fetches our keys through nginx over TLS.
@Suite("A service that verifies access tokens itself")
struct OtherVerifierTests {
    private static let algorithms = ["ES256", "EdDSA"]

    /// A house that signs with one algorithm, and publishes a key for the other one besides. The keys are made as an
    /// operator makes them.
    private func house(signingWith algorithm: String, keys folder: TemporaryFolder) throws -> FrontedHouse {
        for algorithm in Self.algorithms {
            try Shell.run([
                Executable.gatehouse, "keys", "generate", "--alg", algorithm, "--out", folder.file(algorithm),
            ])
        }
        return try FrontedHouse {
            $0["JWT_ACCESS_SECRET"] = nil
            $0["ACCESS_SIGNING_KEY_FILE"] = folder.file(algorithm)
            $0["ACCESS_SIGNING_KEY_PREVIOUS_FILE"] = folder.file(Self.algorithms.first { $0 != algorithm } ?? "")
            $0["TOKEN_ISSUER"] = "https://login.example.com"
            $0["TOKEN_AUDIENCE"] = "photos"
        }
    }

    private func verify(
        _ token: String, _ algorithm: String, at house: FrontedHouse, audience: String = "photos"
    ) throws -> Shell.Outcome {
        try Shell.outcome(
            of: [
                "/usr/bin/python3", Executable.root + "/Tests/EndToEndTests/Support/verify-access-token.py",
                "https://localhost:\(house.port)/.well-known/jwks.json", algorithm, "https://login.example.com",
                audience,
            ],
            environment: ["SSL_CERT_FILE": house.folder.file("nginx/certificate.pem")], input: Array(token.utf8))
    }

    @Test("believes what we sign, and reads from it what we wrote", arguments: algorithms)
    func believes(_ algorithm: String) throws {
        let keys = try TemporaryFolder()
        let house = try house(signingWith: algorithm, keys: keys)
        let login = try house.devLogin("other@example.com")
        let outcome = try verify(login.accessToken, algorithm, at: house)
        #expect(outcome.status == 0, "\(outcome.text)\(outcome.complaint)")
        let claims = try #require(try JSONValue(parsing: outcome.output).object)
        #expect(claims["sub"] == login["user"]?.object?["id"])
        #expect(claims["iss"] == "https://login.example.com")
        #expect(claims["aud"] == "photos")
    }

    @Test("refuses what others made of it, and what is for others", arguments: algorithms)
    func refuses(_ algorithm: String) throws {
        let keys = try TemporaryFolder()
        let house = try house(signingWith: algorithm, keys: keys)
        let token = try house.devLogin("other@example.com").accessToken
        let outcome = try verify(Forgery.raised(token), algorithm, at: house)
        #expect(outcome.status == 1, "\(outcome.complaint)")
        #expect(outcome.text == "InvalidSignatureError\n")
        #expect(try verify(token, algorithm, at: house, audience: "notes").text == "InvalidAudienceError\n")
    }
}
