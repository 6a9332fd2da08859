import Foundation
import JOSE
import JSON
import Synchronization
import TestSupport
import Testing

/// Restarts with other keys, one after the other, while clients go on asking.
@Suite("Rotating every key")
struct KeyRotationTests {
    /// What an operator sets, and what then signs access tokens.
    struct Step: Sendable {
        let settings: [String: String?]
        let algorithm: String
    }

    private static let secret = "another access secret of more than thirty-two bytes"
    private static let refreshSecret = "another refresh secret of more than thirty-two bytes"
    private static let (es256, edDSA) = (Settings.signingKey.pem, Settings.signingKeyBefore.pem)

    /// Each begins where the one before it left off.
    private static let steps = [
        // Secret to secret.
        Step(
            settings: ["JWT_ACCESS_SECRET": secret, "JWT_ACCESS_SECRET_PREVIOUS": Settings.accessSecret],
            algorithm: "HS256"),
        // Secret to key, which is published before it signs; the secret goes when no token of its own is left.
        Step(
            settings: ["JWT_ACCESS_SECRET": secret, "ACCESS_SIGNING_KEY_PREVIOUS": es256], algorithm: "HS256"),
        Step(settings: ["JWT_ACCESS_SECRET": secret, "ACCESS_SIGNING_KEY": es256], algorithm: "ES256"),
        Step(settings: ["JWT_ACCESS_SECRET": nil, "ACCESS_SIGNING_KEY": es256], algorithm: "ES256"),
        // Key to key, and back to a secret.
        Step(
            settings: [
                "JWT_ACCESS_SECRET": nil, "ACCESS_SIGNING_KEY": edDSA, "ACCESS_SIGNING_KEY_PREVIOUS": es256,
            ], algorithm: "EdDSA"),
        Step(settings: ["ACCESS_SIGNING_KEY_PREVIOUS": edDSA], algorithm: "HS256"),
        // The secret of refresh tokens, and the one before it taken away.
        Step(
            settings: ["JWT_REFRESH_SECRET": refreshSecret, "JWT_REFRESH_SECRET_PREVIOUS": Settings.refreshSecret],
            algorithm: "HS256"),
        Step(settings: ["JWT_REFRESH_SECRET": refreshSecret], algorithm: "HS256"),
    ]

    @Test("under load logs nobody out, and a refresh is retried across it with the same outcome")
    func everyKey() throws {
        let house = try ServedHouse()
        let clients = (0..<4).map { RestlessClient(house, "restless-\($0)@example.com") }
        var witness = try house.devLogin("witness@example.com")
        for (number, step) in Self.steps.enumerated() {
            for client in clients { #expect(client.goesRound(1), "before step \(number)") }
            let next = try house.refresh(witness.refreshToken)
            house.process.signal(SIGTERM)
            #expect(house.process.wait() == 0)
            try house.restart { variables in for (name, value) in step.settings { variables[name] = value } }

            #expect(try house.me(witness.accessToken).status == 200, "step \(number)")
            #expect(try house.me(next.accessToken).status == 200, "step \(number)")
            let retried = try house.refresh(witness.refreshToken)
            #expect(retried.refreshToken == next.refreshToken, "step \(number)")
            witness = try house.refresh(next.refreshToken)
            #expect(witness.status == 200, "step \(number)")
            #expect(try CompactJWS(witness.accessToken).algorithmName == step.algorithm, "step \(number)")
        }
        for client in clients { #expect(client.goesRound(1), "after all steps") }
        for client in clients { #expect(client.stop() == []) }
    }

    /// Were it not for `…_PREVIOUS`, this is what the clients above would have seen.
    @Test("at once, without naming the ones before, ends what was signed with them")
    func withoutPrevious() throws {
        let house = try ServedHouse()
        let login = try house.devLogin("cut-off@example.com")
        house.process.signal(SIGTERM)
        #expect(house.process.wait() == 0)
        try house.restart {
            $0["JWT_ACCESS_SECRET"] = Self.secret
            $0["JWT_REFRESH_SECRET"] = Self.refreshSecret
        }
        #expect(try house.me(login.accessToken).code == "invalid_access_token")
        #expect(try house.refresh(login.refreshToken).code == "invalid_refresh_token")
    }
}
