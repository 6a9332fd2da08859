import Foundation
import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// Runs the example of Guard.md.
@Suite("The knowledge base example")
struct KnowledgeBaseTests {
    private let server: ServerBehindNginx
    private let upstream: UpstreamServer

    init() throws {
        let knowledge = KnowledgeBaseService()
        upstream = try UpstreamServer { knowledge.respond($0) }
        let example = try Self.example().replacingOccurrences(of: "127.0.0.1:3000", with: "127.0.0.1:\(upstream.port)")
        server = try ServerBehindNginx(locations: example)
    }

    private static func example() throws -> String {
        try #require(try DocumentationPage.guardPage.blocks(of: "Overview", "nginx").first)
    }

    private func add(_ title: String, _ bearer: String) throws -> String {
        let response = try server.send(.post("/knowledge/documents", ["title": .string(title)], bearer: bearer))
        #expect(response.status == 201)
        return try #require(response["id"]?.string)
    }

    private func titles(_ bearer: String) throws -> [String] {
        let response = try server.send(.get("/knowledge/documents", bearer: bearer))
        #expect(response.status == 200)
        return (response["documents"]?.array ?? []).compactMap { $0.object?["title"]?.string }
    }

    private func status(_ method: String, _ path: String, _ bearer: String) throws -> Int {
        var request = TestRequest.get(path, bearer: bearer)
        request.method = method
        return try server.send(request).status
    }

    @Test("Users see only their own documents")
    func ownDocuments() throws {
        let (ada, bob) = (try server.devLogin("ada@example.com"), try server.devLogin("bob@example.com"))
        let note = try add("Ada's", ada.accessToken)
        _ = try add("Bob's", bob.accessToken)
        #expect(try titles(ada.accessToken) == ["Ada's"])
        #expect(try titles(bob.accessToken) == ["Bob's"])
        #expect(try status("GET", "/knowledge/documents/\(note)", ada.accessToken) == 200)
        #expect(try status("GET", "/knowledge/documents/\(note)", bob.accessToken) == 404)
        var request = TestRequest.get("/knowledge/documents/\(note)", bearer: bob.accessToken)
        request.headers.append(("X-User-Id", ada["user"]?.object?["id"]?.string ?? ""))
        #expect(try server.send(request).status == 404)
    }

    @Test("Only administrators can remove documents of others")
    func admin() throws {
        let user = try server.devLogin("user@example.com").accessToken
        let admin = try ForgedToken.accessToken(
            like: server.devLogin("admin@example.com").accessToken, role: "ADMIN")
        let note = try add("to be removed", user)
        let path = "/knowledge/admin/documents/\(note)"
        #expect(try status("DELETE", path, user) == 403)
        #expect(try titles(user) == ["to be removed"])
        #expect(try status("DELETE", path, admin) == 204)
        #expect(try titles(user) == [])
    }
}
