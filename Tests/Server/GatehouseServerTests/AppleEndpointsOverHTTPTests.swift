import Foundation
import Gatehouse
import GatehouseServer
import IdentityProviders
import Testing

@Suite("Apple's endpoints over HTTP")
struct AppleEndpointsOverHTTPTests {
    private let now = Timestamp(seconds: 1_760_000_000)

    private func endpoints(_ address: String) throws -> AppleEndpoints {
        let settings = AppleServerSettingsTests.complete.merging(
            ["APPLE_TOKEN_URL": address + "/auth/token", "APPLE_REVOKE_URL": address + "/auth/revoke"]) { $1 }
        return try #require(AppleEndpoints(try TestConfiguration.read(settings)))
    }

    @Test("a request is sent as a form, and the answer is read")
    func form() throws {
        let server = try SingleAnswerServer(status: "400 Bad Request", body: #"{"error":"invalid_client"}"#)
        let endpoints = try endpoints(server.address)
        #expect(throws: AppleServerFault.credentialsRefused("invalid_client")) {
            try endpoints.exchange(code: "c 1&+=é/%~", for: "com.example.app", now: now)
        }
        let request = try #require(server.request)
        #expect(request.hasPrefix("POST /auth/token HTTP/1.1\r\n"))
        #expect(request.contains("\r\nContent-Type: application/x-www-form-urlencoded\r\n"))
        let form = try #require(request.components(separatedBy: "\r\n\r\n").last)
        let fields = form.split(separator: "&").map { $0.split(separator: "=").map(String.init) }
        #expect(fields.map(\.first) == ["client_id", "client_secret", "grant_type", "code"])
        #expect(fields.last?.last == "c%201%26%2B%3D%C3%A9%2F%25~")
    }

    @Test("a server that does not listen is unavailable, and the fault contains neither its address nor a secret")
    func unavailable() throws {
        let endpoints = try endpoints("http://127.0.0.1:1")
        do throws(AppleServerFault) {
            try endpoints.revoke(refreshToken: "hunter2", of: "com.example.app", now: now)
            Issue.record("no server listens there")
        } catch {
            guard case .unavailable(let reason) = error else { throw error }
            #expect(reason.contains("(curl 7)"))
            #expect(!reason.contains("hunter2") && !reason.contains("127.0.0.1") && !reason.contains("auth"))
        }
    }
}
