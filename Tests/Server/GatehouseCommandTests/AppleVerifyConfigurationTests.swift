import Gatehouse
import GatehouseTokens
import TestSupport
import Testing

@Suite("gatehouse apple verify, as the configuration says")
struct AppleVerifyConfigurationTests: AppleVerifySuite {
    let tool: Tool

    init() throws { tool = try AppleVerifyTool.shared.get() }

    /// Verifies with a configuration in place of `--audience`.
    private func verify(
        _ words: [String], _ settings: [String: String], secret: String? = Tool.secrets["JWT_REFRESH_SECRET"]
    ) throws -> Shell.Outcome {
        var settings = settings
        settings["JWT_REFRESH_SECRET"] = secret
        return try tool.run(["apple", "verify", "--jwks", keys, "--at", Self.noon] + words, settings)
    }

    /// A challenge of the server with the secret of the tests.
    private func challenge(expiresIn seconds: Int64, secret: String = "refresh-secret-of-the-tests-012345678") throws
        -> String
    {
        let ring = try KeyRing(secret: Array(secret.utf8))
        let service = JWTTokenService(issuer: "i", audience: "a", accessKeys: ring, refreshKeys: ring)
        return service.challenge(expiresAt: Timestamp(seconds: Int64(Self.noon)! + seconds)).nonce
    }

    @Test("without --audience, a login is verified with the configured audiences, issuers and nonces")
    func configured() throws {
        let token = try mint("--aud", "com.example.web")
        let settings = ["APPLE_BUNDLE_ID": "com.example.app,com.example.web"]
        try verify([token], settings).expect(0)
        #expect(try verify([token], ["APPLE_BUNDLE_ID": "com.example.app"]).text.hasPrefix("audience: "))
        let other = try mint("--claim", "iss=https://account.apple.com")
        #expect(try verify([other], settings).text.hasPrefix("issuer: "))
        let issuers = settings.merging(["APPLE_ISSUER": "https://account.apple.com"]) { $1 }
        try verify([other], issuers).expect(0)
        #expect(try verify(["--issuer", "https://x.example", other], issuers).text.hasPrefix("issuer: "))
        let required = settings.merging(["APPLE_NONCE": "required"]) { $1 }
        #expect(try verify([token], required).text.hasPrefix("nonce: This installation requires a nonce"))
        #expect(try verify(["--audience", "com.example.web", token], required).status == 0, "options need none")
        let file = try tool.file("gatehouse.env", "APPLE_BUNDLE_ID=com.example.web\n")
        try verify([token], ["GATEHOUSE_CONFIG": file]).expect(0)
    }

    @Test("without --audience and without a configuration, the missing setting is named")
    func notConfigured() throws {
        let outcome = try verify([try mint()], [:])
        outcome.expect(2, saying: "APPLE_BUNDLE_ID")
        #expect(outcome.errorOutput.contains("--audience"))
    }

    @Test("--challenge demands a nonce of the challenge endpoint that has not expired")
    func challenges() throws {
        let nonce = try challenge(expiresIn: 600)
        let audience = ["--challenge", "--audience", "com.example.app"]
        let good = try verify(audience + [try login("--nonce", nonce)], [:])
        good.expect(0)
        #expect(good.report.map(\.check) == Self.checks + ["challenge", "used"])
        #expect(good.report[13].mark == "ok" && good.report[13].text.contains("expires 2025-10-09T09:03:20.000Z"))
        #expect(good.report[14].mark == "-" && good.report[14].text.contains("only the server knows"))
        let faults = [
            (try challenge(expiresIn: 0), "nonce: The nonce has expired", "it expired at 2025-10-09T08:53:20.000Z"),
            (
                try challenge(expiresIn: 600, secret: "another-secret-of-the-tests-01234567"), "nonce: ",
                "the nonce is not of"
            ),
            ("the app's own", "nonce: This installation requires a nonce of POST", "the nonce is not of"),
        ]
        for (nonce, verdict, fault) in faults {
            let refused = try verify(audience + [try login("--nonce", nonce)], [:])
            #expect(refused.status == 1 && refused.text.hasPrefix(verdict), "\(refused.text)")
            #expect(refused.report[13].mark == "FAULT" && refused.report[13].text.hasPrefix(fault))
        }
        let none = try verify(audience + [try mint()], [:])
        none.expect(1, printing: "the request has none")
        #expect(none.report[10].mark == "FAULT" && none.report[13].mark == "-")
        try verify(audience + [try mint()], [:], secret: nil).expect(2, saying: "JWT_REFRESH_SECRET")
    }

    @Test("a configuration that demands challenges has the effect of --challenge; any other refuses expired ones")
    func configuredChallenges() throws {
        let settings = ["APPLE_BUNDLE_ID": "com.example.app", "APPLE_NONCE": "challenge"]
        let expired = try login("--nonce", try challenge(expiresIn: -1))
        #expect(try verify([expired], settings).text.contains("The nonce has expired"))
        try verify([try login("--nonce", try challenge(expiresIn: 1))], settings).expect(0)
        try verify([try mint()], settings, secret: nil).expect(2)
        let optional = ["APPLE_BUNDLE_ID": "com.example.app"]
        #expect(try verify([expired], optional).text.contains("The nonce has expired"))
        let own = try verify([try login("--nonce", "the app's own")], optional)
        #expect(own.status == 0 && own.report[13].text.contains("the app's own"))
        let blind = try verify([expired], optional, secret: nil)
        #expect(blind.status == 0 && blind.report[13].text.contains("JWT_REFRESH_SECRET is not set"))
        #expect(try verify([try mint()], optional).report[13].text.contains("the login has no nonce"))
    }
}
