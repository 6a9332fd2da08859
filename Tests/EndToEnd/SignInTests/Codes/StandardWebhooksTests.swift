import Foundation
import JSON
import TestSupport
import Testing

@testable import ServerSupport

private let python = Executable.root + "/.build/python/bin/python"

/// Verifies what Gatehouse sends to `SMS_URL` with the library of the specification's authors.
@Suite(
    "The signature of text messages and another library", .needs(.webhookLibrary),
    .enabled(
        if: FileManager.default.isExecutableFile(atPath: python),
        "there is no .build/python/bin/python: deploy/lib/packages test-all makes it"))
struct StandardWebhooksTests {
    private static let secrets = [
        "whsec_5WbX0kEsLlfzGqJrLiJxPqO7cXk2b1mD", "whsec_t8VnQe2RyKpD4aHs6UjWc3ZxGf0BmLoi",
    ]

    private func message(to number: String) throws -> UpstreamRequest {
        let gateway = try UpstreamServer { _ in UpstreamResponse(body: []) }
        let server = try InProcessServer {
            $0["SMS_URL"] = "http://127.0.0.1:\(gateway.port)/sms"
            $0["SMS_SECRET"] = Self.secrets.joined(separator: " ")
            $0["PHONE_COUNTRIES"] = "CN"
        }
        let answer = server.send(.post("/api/auth/codes", ["channel": "phone", "to": .string(number)]))
        #expect(answer.status == 202)
        return try #require(gateway.requests(at: "/sms").first)
    }

    private func verify(_ body: [UInt8], _ request: UpstreamRequest, _ secret: String) throws -> Shell.Outcome {
        var headers = JSONObject()
        for header in request.headers { headers[header.name] = .string(header.value) }
        let message: JSONObject = ["headers": .object(headers), "body": .string(String(decoding: body, as: UTF8.self))]
        return try Shell.outcome(
            of: [python, Executable.root + "/Tests/EndToEnd/Scripts/verify-webhook.py", secret],
            input: message.bytes)
    }

    @Test("The library accepts a message with each of two secrets, and reads what was sent")
    func accepted() throws {
        let request = try message(to: "+8613800138000")
        for secret in Self.secrets {
            let outcome = try verify(request.body, request, secret)
            #expect(outcome.status == 0, "\(outcome.text)\(outcome.errorOutput)")
            #expect(try JSONValue(parsing: outcome.output) == JSONValue(parsing: request.body))
        }
    }

    @Test("The library refuses a changed message, and another secret")
    func refused() throws {
        let request = try message(to: "+8613800138001")
        let changed = try verify(request.body + [UInt8(ascii: " ")], request, Self.secrets[0])
        #expect(changed.status == 1 && changed.text == "WebhookVerificationError\n", "\(changed.errorOutput)")
        let other = "whsec_Nd7YkTq9EwRu1ShXv5PiAz8CgJb2LfOm"
        #expect(try verify(request.body, request, other).text == "WebhookVerificationError\n")
    }
}
