import StandardWebhooks
import Testing

@Suite("Standard Webhooks")
struct WebhookTests {
    // The example of the specification's reference implementation: standard-webhooks/standard-webhooks on GitHub,
    // libraries/go/webhook_test.go.
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    private static let id = "msg_p5jXN8AQM9LWM0D4loKWxJek"
    private static let time: Int64 = 1_614_265_330
    private static let body = Array(#"{"test": 2432232314}"#.utf8)
    private static let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

    private static let otherSecret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"

    private func verify(
        _ changes: [String: String?] = [:], secrets: String = secret, body: [UInt8] = body, now: Int64 = time
    ) throws {
        let headers = ["webhook-id": Self.id, "webhook-timestamp": "\(Self.time)", "webhook-signature": Self.signature]
        try WebhookSecrets(secrets).verify(
            header: { name in changes[name] ?? headers[name] }, body: body, now: now)
    }

    @Test("The published example has the published signature")
    func vector() throws {
        let headers = try WebhookSecrets(Self.secret).headers(id: Self.id, timestamp: Self.time, body: Self.body)
        #expect(headers.map(\.0) == ["webhook-id", "webhook-timestamp", "webhook-signature"])
        #expect(headers.map(\.1) == [Self.id, "1614265330", Self.signature])
        try verify()
    }

    @Test("Each secret signs, and a receiver accepts the signature of either")
    func rotation() throws {
        let both = try WebhookSecrets(" \(Self.otherSecret)\n\t\(Self.secret) ")
        #expect(both.count == 2)
        let signatures = both.headers(id: Self.id, timestamp: Self.time, body: Self.body)[2].1
        #expect(signatures.split(separator: " ").count == 2)
        #expect(signatures.hasSuffix(" " + Self.signature))
        for secret in [Self.secret, Self.otherSecret] { try verify(["webhook-signature": signatures], secrets: secret) }
        try verify(secrets: "\(Self.otherSecret) \(Self.secret)")
    }

    @Test(
        "A message that was changed is refused",
        arguments: [
            (["webhook-id": "msg_other"], WebhookFault.signature),
            (["webhook-timestamp": "1614265331"], .signature), (["webhook-timestamp": "01614265330"], .signature),
            (["webhook-timestamp": "soon"], .timestamp), (["webhook-timestamp": ""], .timestamp),
            (["webhook-signature": ""], .signature), (["webhook-signature": "v1,"], .signature),
            (["webhook-signature": "v1a,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="], .signature),
            (["webhook-signature": "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="], .signature),
            (["webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OI="], .signature),
            (["webhook-signature": "v1,g0hM9SsE-OTPJTGt_tmIKtSyZlE3uFJELVlNIOLJ1OE="], .signature),
            (["webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1A=="], .signature),
            (["webhook-id": ""], .missingHeader), (["webhook-id": String?.none], .missingHeader),
            (["webhook-timestamp": String?.none], .missingHeader),
            (["webhook-signature": String?.none], .missingHeader),
        ] as [([String: String?], WebhookFault)])
    func tampering(changes: [String: String?], fault: WebhookFault) {
        #expect(throws: fault) { try verify(changes) }
    }

    @Test("A message with another body, or signed with another secret, is refused")
    func otherContent() {
        #expect(throws: WebhookFault.signature) { try verify(body: Self.body + [0x20]) }
        #expect(throws: WebhookFault.signature) { try verify(body: []) }
        #expect(throws: WebhookFault.signature) { try verify(secrets: Self.otherSecret) }
    }

    @Test("A message is accepted up to 300 seconds from its time", arguments: [-301, -300, 0, 300, 301, 86_400])
    func tolerance(offset: Int64) throws {
        if (-300...300).contains(offset) { return try verify(now: Self.time + offset) }
        #expect(throws: WebhookFault.tooOldOrNew) { try verify(now: Self.time + offset) }
    }

    @Test(
        "A secret is whsec_ and 24 to 64 bytes in base64",
        arguments: [
            ("", .missing), (" \n", .missing), ("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", .prefix),
            ("WHSEC_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", .prefix), ("whsec_", .length(0)),
            ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS", .encoding), ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS-", .encoding),
            ("whsec_" + String(repeating: "AAAA", count: 7) + "AA==", .length(22)),
            ("whsec_" + String(repeating: "AAAA", count: 7) + "AAA=", .length(23)),
            ("whsec_" + String(repeating: "AAAA", count: 21) + "AAA=", .length(65)),
            ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", .encoding),
            ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw whsec_AAAA", .length(3)),
        ] as [(String, WebhookSecretFault)])
    func secretFaults(text: String, fault: WebhookSecretFault) {
        #expect(throws: fault) { try WebhookSecrets(text) }
        #expect(!"\(fault)".contains("MfKQ"))
    }

    @Test("A secret of 64 bytes is accepted, and no secret is printed")
    func longestSecret() throws {
        let text = "whsec_" + String(repeating: "QUJD", count: 21) + "QQ=="
        let secrets = try WebhookSecrets(text)
        #expect(!"\(secrets) \(String(reflecting: secrets))".contains("QUJD"))
        var dumped = ""
        dump(secrets, to: &dumped)
        #expect(!dumped.contains("key"))
    }
}
