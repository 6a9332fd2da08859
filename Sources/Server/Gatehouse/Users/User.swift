import Text

/// A person with one or more ways to log in.
package struct User: Sendable, Equatable {
    package let id: UserID
    package var email: String?
    /// Whether a provider has confirmed that the address belongs to the user.
    package var emailVerified: Bool
    /// The number that a code has proven, in E.164: the subject of the user's account at `PHONE`.
    package var phone: String?
    package var nickname: String?
    package var avatarURL: String?
    package var role: Role
    package var status: UserStatus
    package var onboardingCompleted: Bool
    package var createdAt: Timestamp
    /// What a guest signs in by: the thumbprint of a device's key, or a random text that no client has. Nil for a user who is
    /// no guest.
    package var guestKey: String?

    package var isGuest: Bool { guestKey != nil }
    package var attributes = Attributes.none

    package init(
        id: UserID, email: String?, emailVerified: Bool = false, phone: String? = nil, nickname: String?,
        avatarURL: String? = nil,
        role: Role = .user, status: UserStatus = .active, onboardingCompleted: Bool = false, createdAt: Timestamp,
        guestKey: String? = nil
    ) {
        self.id = id
        self.email = email
        self.emailVerified = emailVerified
        self.phone = phone
        self.nickname = nickname
        self.avatarURL = avatarURL
        self.role = role
        self.status = status
        self.onboardingCompleted = onboardingCompleted
        self.createdAt = createdAt
        self.guestKey = guestKey
    }
}

/// The id of a user: `user_01J…`. A request supplies it only inside a verified token.
package struct UserID: Sendable, Hashable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}

/// Whether a user may log in.
package enum UserStatus: String, Sendable, CaseIterable {
    case active = "ACTIVE"
    case disabled = "DISABLED"
    case deleted = "DELETED"
}

/// What a user may do in the services behind nginx. A higher role includes the lower ones.
package enum Role: String, Sendable, CaseIterable {
    case user = "USER"
    case admin = "ADMIN"
    case superAdmin = "SUPER_ADMIN"

    /// Every guarded request parses a role. For three cases a linear search is faster than the
    /// synthesised table look-up.
    package init?(rawValue: String) {
        guard let role = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = role
    }
}

extension Role: Comparable {
    package static func < (lower: Role, higher: Role) -> Bool { lower.rank < higher.rank }

    private var rank: Int {
        switch self {
        case .user: 0
        case .admin: 1
        case .superAdmin: 2
        }
    }
}

/// The current role, status and attributes of a user, and whether they have a phone number or are a guest. Older access tokens may
/// contain another role, and other attributes.
package struct UserState: Sendable, Equatable {
    package let role: Role
    package let status: UserStatus
    package let hasPhone: Bool
    package let isGuest: Bool
    package var attributes: Attributes

    package init(
        role: Role, status: UserStatus, hasPhone: Bool = false, isGuest: Bool = false, attributes: Attributes = .none
    ) {
        self.role = role
        self.status = status
        self.hasPhone = hasPhone
        self.isGuest = isGuest
        self.attributes = attributes
    }
}

/// A user as the operator's services see it.
package struct UserSummary: Sendable, Equatable {
    package let user: User
    package let updatedAt: Timestamp
    /// Nil for a deleted user.
    package let lastLoginAt: Timestamp?
    /// How often the attributes have changed.
    package let attributesVersion: Int64

    package init(user: User, updatedAt: Timestamp, lastLoginAt: Timestamp?, attributesVersion: Int64 = 0) {
        self.user = user
        self.updatedAt = updatedAt
        self.lastLoginAt = lastLoginAt
        self.attributesVersion = attributesVersion
    }
}

/// The name that Apple gives to the app at the first login only.
package struct PersonName: Sendable, Equatable {
    package var given: String?
    package var family: String?

    package init(given: String?, family: String?) {
        (self.given, self.family) = (given, family)
    }

    /// The full name, with the family name first and no space in Chinese, Japanese and Korean.
    package var displayed: String? {
        let parts = (given: given?.trimmedOrNil, family: family?.trimmedOrNil)
        switch parts {
        case (nil, nil): return nil
        case (let given?, nil): return given
        case (nil, let family?): return family
        case (let given?, let family?):
            return Self.isEastAsian(given) && Self.isEastAsian(family) ? family + given : given + " " + family
        }
    }

    private static func isEastAsian(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x2E80...0x9FFF, 0xAC00...0xD7AF, 0xF900...0xFAFF, 0x20000...0x3FFFF: true
            default: false
            }
        }
    }
}

extension String {
    /// The text without white space at its ends; nil if nothing is left.
    package var trimmedOrNil: String? {
        // Most texts begin and end with a visible character of ASCII.
        if let first = utf8.first, let last = utf8.last, first.isVisible, last.isVisible { return self }
        let kept = drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()
        return kept.isEmpty ? nil : String(kept)
    }
}
