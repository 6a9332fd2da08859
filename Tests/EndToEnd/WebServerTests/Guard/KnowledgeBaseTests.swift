import Foundation
import TestSupport
import Testing

@testable import ServerSupport

/// Runs the example of Guard.md.
@Suite("The knowledge base example")
struct KnowledgeBaseTests {
    @Test("The service gets each user's own id, and only those whom a location admits")
    func users() throws {
        let upstream = try UpstreamServer.echoing()
        let example = try #require(try DocumentationPage.guardPage.blocks(of: "Overview", "nginx").first)
        let server = try ServerBehindNginx(
            locations: example.replacingOccurrences(of: "127.0.0.1:3000", with: "127.0.0.1:\(upstream.port)"))
        let (ada, bob) = (try server.devLogin("ada@example.com"), try server.devLogin("bob@example.com"))
        for login in [ada, bob] {
            var request = TestRequest.get("/knowledge/documents", bearer: login.accessToken)
            request.headers.append(("X-User-Id", ada.userID))
            let arrived = try #require(UpstreamRequest(whole: try server.send(request).body))
            #expect(arrived.values(of: "X-User-Id") == [login.userID])
        }
        expectProblem(try server.send(.get("/knowledge/documents")), 401, "invalid_access_token")

        let admin = try ForgedToken.accessToken(like: bob.accessToken, role: "ADMIN")
        expectProblem(try server.send(.get("/knowledge/admin/1", bearer: ada.accessToken)), 403, "insufficient_role")
        #expect(try server.send(.get("/knowledge/admin/1", bearer: admin)).status == 200)

        let hourAgo = Int64(Date().timeIntervalSince1970) - 3600
        let stale = try ForgedToken.accessToken(like: ada.accessToken, authenticatedAt: hourAgo)
        expectProblem(try server.send(.get("/knowledge/payments/1", bearer: stale)), 401, "login_too_old")
        #expect(try server.send(.get("/knowledge/payments/1", bearer: ada.accessToken)).status == 200)
    }
}
