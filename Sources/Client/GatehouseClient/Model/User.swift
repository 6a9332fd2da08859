import Foundation

/// The user as the server knows them.
public struct User: Codable, Hashable, Sendable, Identifiable {
    /// It never changes and is never given to another user.
    public let id: String
    public let email: String?
    /// Whether a provider has verified the address.
    public let emailVerified: Bool
    /// In E.164, such as `+8613800138000`. Only a number that a code has proved.
    public let phone: String?
    public let nickname: String?
    public let avatarUrl: URL?
    public let role: Role
    public let status: Status
    public let onboardingCompleted: Bool
    /// Nil from a server without guests, and in a session that an earlier version of the library has stored.
    private let guest: Bool?

    /// Whether the user has no account yet. See ``GatehouseClient/continueAsGuest(nickname:)``.
    public var isGuest: Bool { guest ?? false }

    /// For previews and tests of an app.
    public init(
        id: String, email: String? = nil, emailVerified: Bool = false, phone: String? = nil, nickname: String? = nil,
        avatarUrl: URL? = nil, role: Role = .user, status: Status = .active, onboardingCompleted: Bool = true,
        isGuest: Bool = false
    ) {
        (self.id, self.email, self.emailVerified, self.phone) = (id, email, emailVerified, phone)
        (self.nickname, self.avatarUrl, self.role, self.status) = (nickname, avatarUrl, role, status)
        (self.onboardingCompleted, guest) = (onboardingCompleted, isGuest)
    }

    /// Servers may add values.
    public struct Role: RawRepresentable, Codable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let user = Role(rawValue: "USER")
        public static let admin = Role(rawValue: "ADMIN")
        public static let superAdmin = Role(rawValue: "SUPER_ADMIN")
    }

    /// Servers may add values.
    public struct Status: RawRepresentable, Codable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let active = Status(rawValue: "ACTIVE")
        public static let disabled = Status(rawValue: "DISABLED")
        public static let deleted = Status(rawValue: "DELETED")
    }
}

/// The change of a profile. What is not set stays as it is.
public struct ProfileChange: Encodable, Hashable, Sendable {
    /// A new value, or none.
    public enum Field<Value: Encodable & Hashable & Sendable>: Hashable, Sendable {
        case set(Value)
        case remove
    }

    public var nickname: Field<String>?
    public var avatarUrl: Field<URL>?
    public var onboardingCompleted: Bool?

    public init(
        nickname: Field<String>? = nil, avatarUrl: Field<URL>? = nil, onboardingCompleted: Bool? = nil
    ) {
        self.nickname = nickname
        self.avatarUrl = avatarUrl
        self.onboardingCompleted = onboardingCompleted
    }

    private enum CodingKeys: CodingKey { case nickname, avatarUrl, onboardingCompleted }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try Self.encode(nickname, .nickname, &container)
        try Self.encode(avatarUrl, .avatarUrl, &container)
        try container.encodeIfPresent(onboardingCompleted, forKey: .onboardingCompleted)
    }

    private static func encode<Value>(
        _ field: Field<Value>?, _ key: CodingKeys, _ container: inout KeyedEncodingContainer<CodingKeys>
    ) throws {
        switch field {
        case .set(let value): try container.encode(value, forKey: key)
        case .remove: try container.encodeNil(forKey: key)
        case nil: break
        }
    }
}
