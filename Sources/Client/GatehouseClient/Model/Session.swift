import Foundation

/// The session of this app: who has signed in. The client keeps the tokens to itself.
public struct Session: Hashable, Sendable {
    public let user: User
    /// Whether this login created the user.
    public let isNewUser: Bool
    /// Whether another user has proven the address of this new user as well: probably the same person, who has signed in
    /// another way before. Ask, and see ``GatehouseClient/discardNewUser()``.
    public let isKnownAddress: Bool

    /// For previews and tests of an app.
    public init(user: User, isNewUser: Bool = false, isKnownAddress: Bool = false) {
        (self.user, self.isNewUser, self.isKnownAddress) = (user, isNewUser, isKnownAddress)
    }
}

/// Whether a user is signed in, as far as the client knows.
public enum AuthState: Hashable, Sendable {
    /// It is not known whether a user is signed in. Show the login for ``StoreUnavailable/unreadable``; otherwise wait.
    case unknown(StoreUnavailable)
    /// Why the session ended, if it ended in this run of the app; otherwise nil.
    case signedOut(SignOutReason?)
    case signedIn(Session)
}

/// Why a session has ended.
public enum SignOutReason: Hashable, Sendable {
    /// ``GatehouseClient/signOut(everywhere:)``.
    case requested
    /// Another process with the same store, such as an extension of the app, has signed the user out.
    case otherProcess
    /// ``GatehouseClient/deleteAccount(authorizationCode:proof:)``.
    case accountDeleted
    /// The server refused to refresh the session: it expired, was ended from another device or by an operator, a token
    /// was stolen, or the user was disabled.
    case refused(ProblemCode)
}

extension SignOutReason {
    /// The session was bound to a key that is gone or is not of this device: the session was restored from a backup of
    /// another device, or the system has deleted the key. A pattern `.refused` matches it, too.
    public static let deviceKeyLost = SignOutReason.refused(.deviceKeyLost)
}

/// Whether the server has ended the session.
public enum SignOutResult: Hashable, Sendable {
    case delivered
    /// The user is signed out here. The client tells the server later, also after a restart of the app.
    case queued
}

/// The state of Apple's tokens after the account was deleted.
public enum AppleRevocation: Hashable, Sendable {
    /// The user had no Apple Account.
    case notNeeded
    /// The server asks Apple to revoke them, until Apple answers.
    case queued
    /// The server had nothing to revoke them with. Show this page, where the user ends the app's access.
    case byHand(URL?)
    /// The account is deleted, but the answer that said so was lost.
    case unknown
}

/// A session in the list of the user's sessions.
public struct ListedSession: Decodable, Hashable, Sendable, Identifiable {
    public let id: String
    public let provider: Provider
    /// The user agent of the login.
    public let device: String?
    public let address: String?
    /// The user agent of the last refresh.
    public let lastDevice: String?
    public let lastAddress: String?
    public let createdAt: Date
    /// The time of the last refresh.
    public let lastUsedAt: Date
    /// Whether it is the session of this app.
    public let current: Bool
    /// Whether it is bound to a key of its device. Nil if the server does not say it.
    public let bound: Bool?

    /// For previews and tests of an app.
    public init(
        id: String, provider: Provider = .apple, device: String? = nil, address: String? = nil,
        lastDevice: String? = nil, lastAddress: String? = nil, createdAt: Date, lastUsedAt: Date, current: Bool = false,
        bound: Bool? = nil
    ) {
        (self.id, self.provider, self.device, self.address) = (id, provider, device, address)
        (self.lastDevice, self.lastAddress) = (lastDevice, lastAddress)
        (self.createdAt, self.lastUsedAt, self.current, self.bound) = (createdAt, lastUsedAt, current, bound)
    }
}

/// An account that the user can sign in with.
public struct LinkedAccount: Decodable, Hashable, Sendable {
    public let provider: Provider
    public let email: String?
    public let emailVerified: Bool?
    /// Whether Apple forwards mail from this address.
    public let isPrivateEmail: Bool?
    /// Whether the user has forwarding turned on, as far as Apple has notified it.
    public let isMailForwarded: Bool?
    /// With ``Provider/passkey``: the address or number that the user gave in the sign-up, while no code has proven it.
    public let unprovenContact: String?
    public let linkedAt: Date

    /// For previews and tests of an app.
    public init(
        provider: Provider = .apple, email: String? = nil, emailVerified: Bool? = nil, isPrivateEmail: Bool? = nil,
        isMailForwarded: Bool? = nil, linkedAt: Date, unprovenContact: String? = nil
    ) {
        (self.provider, self.email, self.emailVerified) = (provider, email, emailVerified)
        (self.isPrivateEmail, self.isMailForwarded, self.linkedAt) = (isPrivateEmail, isMailForwarded, linkedAt)
        self.unprovenContact = unprovenContact
    }
}

/// The answer of a login: the members of a refresh, and the user.
struct LoginAnswer: Decodable {
    let refresh: RefreshAnswer
    let isNewUser: Bool
    let isKnownAddress: Bool
    let user: User

    private enum CodingKeys: CodingKey { case isNewUser, knownAddress, user }

    init(from decoder: any Decoder) throws {
        refresh = try RefreshAnswer(from: decoder)
        let members = try decoder.container(keyedBy: CodingKeys.self)
        isNewUser = try members.decode(Bool.self, forKey: .isNewUser)
        isKnownAddress = try members.decodeIfPresent(Bool.self, forKey: .knownAddress) ?? false
        user = try members.decode(User.self, forKey: .user)
    }

    /// - Parameter key: the name of the key whose proof was sent. A server of an earlier version ignores the proof.
    func session(at date: Date, key: String?, by provider: Provider) -> StoredSession {
        let isBound = refresh.tokenType?.lowercased() == "dpop"
        return StoredSession(
            login: UUID(), tokens: refresh.tokens(at: date), user: user, key: isBound ? key : nil, provider: provider)
    }
}
