import JSON

/// A way to revoke an access token, and the refusal that its client gets afterwards.
struct RevocationAction: Sendable {
    let name: String
    var refusal = "401 session_revoked"
    /// The refusal of the refresh token, or nil if it stays valid.
    var refresh: String? = "401 refresh_token_revoked"
    let perform: @Sendable (TokenClient, TestResponse) throws -> Void

    static let all = byTheUser + byTheOperator

    private static let byTheUser = [
        RevocationAction(name: "logout") {
            try expectNoContent($0.send(.post("/api/auth/logout", bearer: $1.accessToken)))
        },
        RevocationAction(name: "logout-all") {
            try expectNoContent($0.send(.post("/api/auth/logout-all", bearer: $1.accessToken)))
        },
        RevocationAction(name: "own-session") { client, login in
            let id = try current(client, login)
            try expectNoContent(client.send(.delete("/api/users/me/sessions/" + id, bearer: login.accessToken)))
        },
        RevocationAction(name: "own-account", refresh: "401 invalid_refresh_token") {
            try expectNoContent($0.send(.delete("/api/users/me", bearer: $1.accessToken)))
        },
    ]

    private static let byTheOperator = [
        RevocationAction(name: "disable", refusal: "403 user_disabled", refresh: "403 user_disabled") {
            try $0.server.runCommand("users", "disable", $1.userID)
        },
        RevocationAction(name: "role", refresh: nil) {
            try $0.server.runCommand("users", "role", $1.userID, "ADMIN")
        },
        RevocationAction(name: "delete", refresh: "401 invalid_refresh_token") { client, login in
            let email = login["user"]?.object?["email"]?.string ?? "none"
            try client.server.runCommand("users", "delete", email.uppercased(), "--yes")
        },
        RevocationAction(name: "revoke") { try $0.server.runCommand("sessions", "revoke", current($0, $1)) },
        RevocationAction(name: "revoke-all") {
            try $0.server.runCommand("sessions", "revoke", "--user", $1.userID)
        },
    ]

    /// The id of the session of the request.
    private static func current(_ client: TokenClient, _ login: TestResponse) throws -> String {
        let response = try client.send(.get("/api/users/me/sessions", bearer: login.accessToken))
        let sessions = response["sessions"]?.array?.compactMap(\.object) ?? []
        return sessions.first { $0["current"] == true }?["id"]?.string ?? "none"
    }

    private struct Unexpected: Error {
        let response: TestResponse
    }

    private static func expectNoContent(_ response: TestResponse) throws {
        guard response.status == 204 else { throw Unexpected(response: response) }
    }
}
