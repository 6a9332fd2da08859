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
    /// What the operator's services keep of the user and show to them, such as a plan. Nil if the server shows nothing.
    public let attributes: [String: AttributeValue]?
    /// Nil from a server without guests, and in a session that an earlier version of the library has stored.
    private let guest: Bool?

    /// Whether the user has no account yet. See ``GatehouseClient/continueAsGuest(nickname:)``.
    public var isGuest: Bool { guest ?? false }

    /// For previews and tests of an app.
    public init(
        id: String, email: String? = nil, emailVerified: Bool = false, phone: String? = nil, nickname: String? = nil,
        avatarUrl: URL? = nil, role: Role = .user, status: Status = .active, onboardingCompleted: Bool = true,
        attributes: [String: AttributeValue]? = nil, isGuest: Bool = false
    ) {
        (self.id, self.email, self.emailVerified, self.phone) = (id, email, emailVerified, phone)
        (self.nickname, self.avatarUrl, self.role, self.status) = (nickname, avatarUrl, role, status)
        (self.onboardingCompleted, self.attributes, guest) = (onboardingCompleted, attributes, isGuest)
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

/// A value of JSON in the attributes of a user.
public enum AttributeValue: Hashable, Sendable {
    case string(String)
    case integer(Int64)
    case number(Double)
    case boolean(Bool)
    case list([AttributeValue])
    case object([String: AttributeValue])
    case null

    /// Nil for a value that is no text.
    public var text: String? {
        if case .string(let text) = self { text } else { nil }
    }
}

extension AttributeValue: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([AttributeValue].self) {
            self = .list(value)
        } else {
            self = .object(try container.decode([String: AttributeValue].self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .string(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .boolean(let value): try container.encode(value)
        case .list(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        case .null: try container.encodeNil()
        }
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
        (self.nickname, self.avatarUrl, self.onboardingCompleted) = (nickname, avatarUrl, onboardingCompleted)
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
