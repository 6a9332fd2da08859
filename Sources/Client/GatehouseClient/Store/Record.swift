import Foundation

/// What the store holds, as JSON.
struct Record: Codable, Equatable {
    var version = Self.currentVersion
    /// The server that the tokens are for. Nil if nothing was saved yet, or an earlier version of the library has saved it.
    var origin: String?
    var session: StoredSession?
    var logouts: [PendingLogout] = []
    /// The name of the key for the next login, which may have been made already.
    var nextKey: String?
    /// Names of keys that are to be deleted.
    var oldKeys: [String]?

    /// The name of the key of guests.
    static let guestKey = "guest"

    private static let currentVersion = 1
    /// A device that stays offline must not grow the store for ever.
    static let mostLogouts = 20

    var isEmpty: Bool { session == nil && logouts.isEmpty && nextKey == nil && oldKeys == nil }

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

    /// Has the keys deleted that an earlier state of the record needed and this one does not.
    mutating func replaceKeys(of earlier: Record?) {
        let needed = sessionKeys
        if let next = nextKey, needed.contains(next) { nextKey = nil }
        var old = Set(oldKeys ?? []).union(earlier?.sessionKeys ?? []).subtracting(needed)
        if let next = earlier?.nextKey, !needed.contains(next) { old.insert(next) }
        if let next = nextKey { old.remove(next) }
        old.remove(Self.guestKey)
        oldKeys = old.isEmpty ? nil : old.sorted()
    }

    /// A logout needs the key of its session.
    private var sessionKeys: [String] { [session?.key].compactMap(\.self) + logouts.compactMap(\.key) }
}

struct StoredSession: Codable, Equatable {
    /// Made at the login. It tells this session from a later one of the same user.
    let login: UUID
    /// Number of refreshes since the login. Processes that refresh at the same time get the same tokens and the same
    /// number.
    var refreshes = 0
    var tokens: Tokens
    var user: User
    /// The name of the key that the session is bound to.
    var key: String?
    /// How the user has signed in. Nil if an earlier version of the library has stored the session.
    var provider: Provider?

    var credentials: Credentials { Credentials(token: tokens.accessToken, key: key) }
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
    /// The name of the key that the session is bound to.
    var key: String?
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
