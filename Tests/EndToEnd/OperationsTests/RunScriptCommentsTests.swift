import Foundation
import JSON
import TestSupport
import Testing

@testable import ServerSupport

@Suite("The service of comments of deploy/run")
struct RunScriptCommentsTests {
    @Test(
        "It is behind the guard, learns nicknames by events and forgets deleted users, and gets events from Gatehouse alone"
    )
    func comments() throws {
        let server = try DevelopmentServer()
        let origin = "https://localhost:\(server.port)"
        #expect(server.page.contains(origin + "/comments"))
        let secret = try String(contentsOfFile: server.data + "/secrets/dev-login", encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        func logIn(_ name: String) throws -> String {
            let body = #"{"email":"\#(name)@example.com","nickname":"\#(name)","devSecret":"\#(secret)"}"#
            let login = try server.ask(
                origin + "/api/auth/dev-login", "-H", "Content-Type: application/json", "-d", body)
            return "Authorization: Bearer " + login.accessToken
        }
        let (ada, bob) = (try logIn("Ada"), try logIn("Bob"))
        #expect(try server.ask(origin + "/comments", "-d", #"{"text":"Hello"}"#).status == 401)
        #expect(try server.ask(origin + "/comments", "-H", ada, "-d", #"{"text":"Hello"}"#).status == 201)
        func names() throws -> [String?] {
            let comments = try server.ask(origin + "/comments", "-H", bob).json["comments"]?.array ?? []
            return comments.map { $0.object?["nickname"]?.string }
        }
        #expect(try Eventually.holds(every: 0.1) { try names() == ["Ada"] })
        for path in ["/events", "/comments/events", "/comments/"] {
            #expect(try server.ask(origin + path, "-H", ada, "-d", "{}").status == 404, "\(path)")
        }
        #expect(try server.ask(origin + "/api/users/me", "-X", "DELETE", "-H", ada).status == 204)
        #expect(try Eventually.holds(every: 0.1) { try names().isEmpty })
    }
}
