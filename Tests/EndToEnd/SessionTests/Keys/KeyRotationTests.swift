import Foundation
import JOSE
import JSON
import Synchronization
import TestSupport
import Testing

@testable import ServerSupport

/// Restarts the server with new keys while clients send requests.
@Suite("Key rotation by restarts")
struct KeyRotationTests {
    /// The changed settings and the algorithm that signs access tokens afterwards.
    struct Step: Sendable {
        let settings: [String: String?]
        let algorithm: String
    }

    private static let secret = "another access secret of more than thirty-two bytes"
    private static let refreshSecret = "another refresh secret of more than thirty-two bytes"
    private static let (es256, edDSA) = (TestSettings.signingKey.pem, TestSettings.signingKeyBefore.pem)

    /// Each step starts from the result of the previous step.
    private static let steps = [
        // From one secret to another.
        Step(
            settings: ["JWT_ACCESS_SECRET": secret, "JWT_ACCESS_SECRET_PREVIOUS": TestSettings.accessSecret],
            algorithm: "HS256"),
        // From a secret to a key. The key is published before it signs, and the secret is removed once
        // its tokens have expired.
        Step(
            settings: ["JWT_ACCESS_SECRET": secret, "ACCESS_SIGNING_KEY_PREVIOUS": es256], algorithm: "HS256"),
        Step(settings: ["JWT_ACCESS_SECRET": secret, "ACCESS_SIGNING_KEY": es256], algorithm: "ES256"),
        Step(settings: ["JWT_ACCESS_SECRET": nil, "ACCESS_SIGNING_KEY": es256], algorithm: "ES256"),
        // From one key to another, then back to a secret.
        Step(
            settings: [
                "JWT_ACCESS_SECRET": nil, "ACCESS_SIGNING_KEY": edDSA, "ACCESS_SIGNING_KEY_PREVIOUS": es256,
            ], algorithm: "EdDSA"),
        Step(settings: ["ACCESS_SIGNING_KEY_PREVIOUS": edDSA], algorithm: "HS256"),
        // A new refresh token secret, then without the previous one.
        Step(
            settings: ["JWT_REFRESH_SECRET": refreshSecret, "JWT_REFRESH_SECRET_PREVIOUS": TestSettings.refreshSecret],
            algorithm: "HS256"),
        Step(settings: ["JWT_REFRESH_SECRET": refreshSecret], algorithm: "HS256"),
    ]

    @Test("No client is logged out under load, and a refresh can be retried across the restart")
    func everyKey() throws {
        let server = try ServerProcess()
        let clients = (0..<4).map { LoopingClient(server, "looping-\($0)@example.com") }
        var witness = try server.devLogin("witness@example.com")
        for (number, step) in Self.steps.enumerated() {
            for client in clients { #expect(client.completesRounds(1), "before step \(number)") }
            let next = try server.refresh(witness.refreshToken)
            server.process.signal(SIGTERM)
            #expect(server.process.wait() == 0)
            try server.restart { variables in for (name, value) in step.settings { variables[name] = value } }

            #expect(try server.me(witness.accessToken).status == 200, "step \(number)")
            #expect(try server.me(next.accessToken).status == 200, "step \(number)")
            let retried = try server.refresh(witness.refreshToken)
            #expect(retried.refreshToken == next.refreshToken, "step \(number)")
            witness = try server.refresh(next.refreshToken)
            #expect(witness.status == 200, "step \(number)")
            #expect(try CompactJWS(witness.accessToken).algorithmName == step.algorithm, "step \(number)")
        }
        for client in clients { #expect(client.completesRounds(1), "after all steps") }
        for client in clients { #expect(client.stop() == []) }
    }

    /// Shows what the clients above would see without the `…_PREVIOUS` settings.
    @Test("Without the previous keys, access tokens are refused, and no server starts with the refresh secret")
    func withoutPrevious() throws {
        let server = try ServerProcess()
        let login = try server.devLogin("cut-off@example.com")
        server.process.signal(SIGTERM)
        #expect(server.process.wait() == 0)
        #expect(try server.refusedStart { $0["JWT_REFRESH_SECRET"] = Self.refreshSecret }.status == 2)
        try server.restart { $0["JWT_ACCESS_SECRET"] = Self.secret }
        #expect(try server.me(login.accessToken).code == "invalid_access_token")
        #expect(try server.refresh(login.refreshToken).status == 200)
    }
}
