import Foundation

/// What the store holds, as JSON.
struct Record: Codable, Equatable {
    var version = Self.currentVersion
    var session: StoredSession?
    var logouts: [PendingLogout] = []

    private static let currentVersion = 1
    /// A device that stays offline must not grow the store for ever.
    static let mostLogouts = 20

    var isEmpty: Bool { session == nil && logouts.isEmpty }

    static func decode(_ contents: Data?) throws(StoreUnavailable) -> Record {
        guard let contents else { return Record() }
        guard let record = try? JSONDecoder().decode(Record.self, from: contents), record.version == currentVersion
        else {
            throw .unreadable
        }
        return record
    }

    /// Nil if there is nothing to store.
    func encoded() throws(StoreUnavailable) -> Data? {
        if isEmpty { return nil }
        do { return try JSONEncoder().encode(self) } catch { throw .failed("it cannot be encoded") }
    }

    mutating func add(_ logout: PendingLogout) {
        guard !logouts.contains(where: { $0.refreshToken == logout.refreshToken }) else { return }
        logouts.append(logout)
        logouts.removeFirst(max(0, logouts.count - Self.mostLogouts))
    }
}

struct StoredSession: Codable, Equatable {
    /// Made at the login. It tells this session from a later one of the same user.
    let login: UUID
    /// Number of refreshes since the login. Processes that refresh at the same time get the same tokens and the same
    /// number.
    var refreshes = 0
    var tokens: Tokens
    var user: User
}

struct Tokens: Codable, Equatable {
    let accessToken: Token
    let refreshToken: Token
    /// Lifetime of the access token, in seconds.
    let expiresIn: Int
    /// By the device's clock, which may be wrong. Only another run of the app reads it; see ``SessionCache``.
    let receivedAt: Date
}

/// A logout that the server has not confirmed.
struct PendingLogout: Codable, Equatable {
    var accessToken: Token
    var refreshToken: Token
    let everywhere: Bool
    let user: String
}

/// A token that does not print itself: neither interpolated, nor by `dump`, nor in an error.
struct Token: Codable, Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    init(from decoder: any Decoder) throws {
        text = try decoder.singleValueContainer().decode(String.self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension Token: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "Token(…)" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}
