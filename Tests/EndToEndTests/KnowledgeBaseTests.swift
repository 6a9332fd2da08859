import Foundation
import JSON
import TestSupport
import Testing

/// The example of nginx/README.md, as it stands there.
@Suite("A knowledge base behind the guard")
struct KnowledgeBaseTests {
    private let house: FrontedHouse
    private let upstream: Upstream

    init() throws {
        let knowledge = KnowledgeBase()
        upstream = try Upstream { knowledge.answer($0) }
        let example = try Self.example().replacingOccurrences(of: "127.0.0.1:3000", with: "127.0.0.1:\(upstream.port)")
        house = try FrontedHouse(locations: example)
    }

    /// The indented lines from the guard's first location of the knowledge base on.
    private static func example() throws -> String {
        let page = try String(contentsOfFile: Executable.root + "/nginx/README.md", encoding: .utf8)
        let section = page.components(separatedBy: "\n").drop { $0 != "## The guard" }
        let lines = section.drop { $0 != "    location /knowledge/ {" }
        return lines.prefix { $0.isEmpty || $0.hasPrefix("    ") }.joined(separator: "\n")
    }

    private func add(_ title: String, _ bearer: String) throws -> String {
        let answer = try house.send(.post("/knowledge/documents", ["title": .string(title)], bearer: bearer))
        #expect(answer.status == 201)
        return try #require(answer["id"]?.string)
    }

    private func titles(_ bearer: String) throws -> [String] {
        let answer = try house.send(.get("/knowledge/documents", bearer: bearer))
        #expect(answer.status == 200)
        return (answer["documents"]?.array ?? []).compactMap { $0.object?["title"]?.string }
    }

    private func status(_ method: String, _ path: String, _ bearer: String) throws -> Int {
        var call = Call.get(path, bearer: bearer)
        call.method = method
        return try house.send(call).status
    }

    @Test("shows everybody their own documents, and nobody else's")
    func own() throws {
        let (ada, bob) = (try house.devLogin("ada@example.com"), try house.devLogin("bob@example.com"))
        let note = try add("Ada's", ada.accessToken)
        _ = try add("Bob's", bob.accessToken)
        #expect(try titles(ada.accessToken) == ["Ada's"])
        #expect(try titles(bob.accessToken) == ["Bob's"])
        #expect(try status("GET", "/knowledge/documents/\(note)", ada.accessToken) == 200)
        #expect(try status("GET", "/knowledge/documents/\(note)", bob.accessToken) == 404)
        var call = Call.get("/knowledge/documents/\(note)", bearer: bob.accessToken)
        call.headers.append(("X-User-Id", ada["user"]?.object?["id"]?.string ?? ""))
        #expect(try house.send(call).status == 404)
    }

    @Test("lets admins remove a document, and nobody below")
    func admin() throws {
        let user = try house.devLogin("user@example.com").accessToken
        let admin = try Forgery.accessToken(like: house.devLogin("admin@example.com").accessToken, role: "ADMIN")
        let note = try add("to be removed", user)
        let path = "/knowledge/admin/documents/\(note)"
        #expect(try status("DELETE", path, user) == 403)
        #expect(try titles(user) == ["to be removed"])
        #expect(try status("DELETE", path, admin) == 204)
        #expect(try titles(user) == [])
    }
}
