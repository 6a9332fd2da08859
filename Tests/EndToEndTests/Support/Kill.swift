import JSON

/// A way to end what an access token stands for, and what its holder is told from then on.
struct Kill: Sendable {
    let name: String
    var refusal = "401 session_revoked"
    /// What a refresh comes to; nil where it works.
    var refresh: String? = "401 refresh_token_revoked"
    let act: @Sendable (Entrance, Answer) throws -> Void

    static let all = byTheUser + byTheOperator

    private static let byTheUser = [
        Kill(name: "logout") { try expectNoContent($0.send(.post("/api/auth/logout", bearer: $1.accessToken))) },
        Kill(name: "logout-all") {
            try expectNoContent($0.send(.post("/api/auth/logout-all", bearer: $1.accessToken)))
        },
        Kill(name: "own-session") { entrance, login in
            let id = try current(entrance, login)
            try expectNoContent(entrance.send(delete("/api/users/me/sessions/" + id, login)))
        },
        Kill(name: "own-account", refresh: "401 invalid_refresh_token") {
            try expectNoContent($0.send(delete("/api/users/me", $1)))
        },
    ]

    private static let byTheOperator = [
        Kill(name: "disable", refusal: "403 user_disabled", refresh: "403 user_disabled") {
            try $0.house.operate("users", "disable", $1.userID)
        },
        Kill(name: "role", refresh: nil) { try $0.house.operate("users", "role", $1.userID, "ADMIN") },
        Kill(name: "delete", refresh: "401 invalid_refresh_token") { entrance, _ in
            try entrance.house.operate("users", "delete", "DELETE@example.com", "--yes")
        },
        Kill(name: "revoke") { try $0.house.operate("sessions", "revoke", current($0, $1)) },
        Kill(name: "revoke-all") { try $0.house.operate("sessions", "revoke", "--user", $1.userID) },
    ]

    private static func delete(_ path: String, _ login: Answer) -> Call {
        var call = Call.get(path, bearer: login.accessToken)
        call.method = "DELETE"
        return call
    }

    /// The id of the session that asks.
    private static func current(_ entrance: Entrance, _ login: Answer) throws -> String {
        let answer = try entrance.send(.get("/api/users/me/sessions", bearer: login.accessToken))
        let sessions = answer["sessions"]?.array?.compactMap(\.object) ?? []
        return sessions.first { $0["current"] == true }?["id"]?.string ?? "none"
    }

    private struct Unexpected: Error {
        let answer: Answer
    }

    private static func expectNoContent(_ answer: Answer) throws {
        guard answer.status == 204 else { throw Unexpected(answer: answer) }
    }
}
