import Gatehouse
import GatehouseStore
import JSON
import StoreSupport
import TestSupport

/// A database with users, in a file or on a server, and the operators' commands for it.
struct Registry {
    static let noon = Timestamp(milliseconds: 1_760_000_000_000)
    static let farFuture = Timestamp(seconds: 4_000_000_000)

    let tool: Tool
    let store: any OperatorStore
    /// `DATABASE_URL`.
    let environment: [String: String]

    init(tool: Tool, store: any OperatorStore, environment: [String: String] = [:]) {
        (self.tool, self.store, self.environment) = (tool, store, environment)
    }

    init() throws {
        let tool = try Tool()
        let database = try TestDatabase(file: tool.folder.file("gatehouse.db"))
        self.init(tool: tool, store: try database.store(), environment: ["DATABASE_URL": database.url])
    }

    /// Creates a user with a session `sess_<name>`, this many seconds after noon.
    @discardableResult
    func add(
        _ name: String, after seconds: Int = 0, email: String? = nil, nickname: String? = nil,
        provider: Provider = .apple, isVerified: Bool = true, role: Role = .user, device: Device = .unknown
    ) throws -> User {
        let moment = Self.noon + .seconds(seconds)
        let identity = Identity(provider: provider, subject: name, email: email, emailVerified: isVerified)
        let user = User(
            id: UserID("user_" + name), email: email, emailVerified: identity.hasVerifiedEmail, nickname: nickname,
            role: role, createdAt: moment)
        let token = SessionToken(generation: 1, random: [1], issuedAt: moment, expiresAt: Self.farFuture, hash: [1])
        let session = Session(
            id: SessionID("sess_" + name), userID: user.id, provider: provider, clientID: "com.example.app",
            device: device, createdAt: moment, token: token)
        let login = LoginFixture(of: user, session, as: identity)
        let isNew = try store.record(login) == .recorded(user, ended: [])
        return isNew ? user : try store.user(user.id) ?? user
    }

    func run(_ words: [String]) throws -> Shell.Outcome { try tool.run(words, environment) }

    func run(_ words: String...) throws -> Shell.Outcome { try run(words) }

    /// The JSON that a command prints.
    func json(_ words: String...) throws -> JSONValue {
        try JSONValue(parsing: try run(words + ["--json"]).output)
    }

    /// Runs a command on a terminal, and answers its question.
    func run(_ words: [String], answering answer: String) throws -> Shell.Outcome {
        try PseudoTerminal().run(words, environment, answering: answer)
    }
}
