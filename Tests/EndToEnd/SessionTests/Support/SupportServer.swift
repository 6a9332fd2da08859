import JSON
import StoreSupport
import TestSupport

@testable import ServerSupport

/// A server with the API for support, and users who are administrators.
struct SupportServer {
    let server: InProcessServer

    init(_ adjust: (inout [String: String]) -> Void = { _ in }) throws {
        server = try InProcessServer { variables in
            variables["ADMIN_API"] = "on"
            variables["ACCESS_TOKEN_TTL"] = "12h"
            adjust(&variables)
        }
    }

    func give(_ role: String, to user: String) throws {
        try server.testDatabase.execute("UPDATE users SET role = '\(role)' WHERE id = '\(user)'")
        if TestDatabase.isOnServer { try server.followRevocations() } else { try server.runMaintenance() }
    }

    /// A new login of an administrator.
    func administrator(_ name: String, _ role: String = "SUPER_ADMIN") throws -> TestResponse {
        let login = try server.devLogin("\(name)@example.com", nickname: name)
        try give(role, to: login.userID)
        return try server.devLogin("\(name)@example.com")
    }

    func send(
        _ method: String, _ path: String, _ body: JSONObject? = nil, by token: String?
    ) -> TestResponse {
        var request = TestRequest(method: method, path: "/api/admin/" + path)
        if let token { request.headers.append(("Authorization", "Bearer " + token)) }
        if let body {
            request.headers.append(("Content-Type", "application/json"))
            request.body = body.bytes
        }
        return server.send(request)
    }

    func entries(_ query: String = "", by token: String) -> [JSONObject] {
        send("GET", "audit?" + query, by: token)["entries"]?.array?.compactMap(\.object) ?? []
    }
}
