import CommandLineTool
import Gatehouse
import JSON

struct UsersSessionsCommand: Command {
    let words = ["users", "sessions"]
    let summary = "List the sessions of a user, the last used first."
    let discussion = """
        Reads DATABASE_URL. USER is an id or an email address. BOUND is yes for a session that needs a proof of the client's
        key; in JSON, jkt is the thumbprint of that key.
        """
    let parameters = ["USER"]
    let options = [Option.json]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let database = try OperatorDatabase()
        let user = try database.user(named: arguments.positional[0]).user.id
        let sessions = try database.perform { try $0.sessions(of: user) }
        Report(
            json: ["sessions": .array(sessions.map(\.json))],
            text: Table(sessions.map(\.row), under: Session.columns).text
        ).print(for: arguments)
        return .done
    }
}

struct SessionsRevokeCommand: Command {
    let words = ["sessions", "revoke"]
    let summary = "End sessions by id, or all sessions of a user."
    let discussion = """
        Reads DATABASE_URL. A running server refuses the tokens of these sessions from the next request on. Also exits 0 if a
        session had already ended. Exits 1 if an id is unknown; the other sessions are ended in any case.
        """
    let repeatedParameter: String? = "SESSION"
    let options = [
        Option(name: "--user", value: "USER", help: "all sessions of this user: an id or an email address"), .json,
    ]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        guard arguments.positional.isEmpty == arguments.has("--user") else {
            throw CommandError(.usage, "give either SESSION… or --user USER")
        }
        let database = try OperatorDatabase()
        if let name = arguments.value("--user") { return try revokeAll(of: name, database, arguments) }
        let outcomes = try arguments.positional.map { id throws(CommandError) in
            RevokedSession(
                id: id,
                wasActive: try database.perform { try $0.revoke(SessionID(id)) })
        }
        Report(
            json: ["sessions": .array(outcomes.map(\.json))], text: outcomes.map(\.text).joined(separator: "\n")
        ).print(for: arguments)
        return outcomes.allSatisfy(\.isKnown) ? .done : .no
    }

    private func revokeAll(of name: String, _ database: OperatorDatabase, _ arguments: Arguments) throws(CommandError)
        -> ExitStatus
    {
        let user = try database.user(named: name).user.id
        let count = try database.perform { try $0.revokeSessions(of: user) }
        Report(
            json: ["userId": .string(user.text), "revoked": .integer(Int64(count))],
            text: "\(user.text): \(count == 0 ? "no active session" : "\(count) ended")"
        ).print(for: arguments)
        return .done
    }
}

/// The result of ending a session.
struct RevokedSession {
    let id: String
    /// Nil if no session has this id.
    let wasActive: Bool?

    var isKnown: Bool { wasActive != nil }

    var text: String {
        switch wasActive {
        case true?: "\(id.printable) ended"
        case false?: "\(id.printable) had ended already"
        case nil: "\(id.printable) is not a session"
        }
    }

    var json: JSONValue {
        ["id": .string(id), "known": .bool(isKnown), "revoked": .bool(wasActive == true)]
    }
}

extension Session {
    static let columns = [
        "ID", "PROVIDER", "CREATED", "LAST USED", "EXPIRES", "BOUND", "ADDRESS", "DEVICE", "LAST ADDRESS",
        "LAST DEVICE",
    ]

    /// The cells under `columns`.
    var row: [String?] {
        [
            id.text, provider.rawValue, createdAt.description, token.issuedAt.description,
            token.expiresAt.description, keyThumbprint == nil ? nil : "yes", device.address, device.userAgent,
            lastDevice.address, lastDevice.userAgent,
        ]
    }

    var json: JSONValue {
        [
            "id": .string(id.text), "userId": .string(userID.text), "provider": .string(provider.rawValue),
            "clientId": .string(clientID), "device": JSONValue(device.userAgent),
            "address": JSONValue(device.address),
            "lastDevice": JSONValue(lastDevice.userAgent), "lastAddress": JSONValue(lastDevice.address),
            "createdAt": .string(createdAt.description),
            "lastUsedAt": .string(token.issuedAt.description), "expiresAt": .string(token.expiresAt.description),
            "bound": .bool(keyThumbprint != nil), "jkt": JSONValue(keyThumbprint),
        ]
    }
}
