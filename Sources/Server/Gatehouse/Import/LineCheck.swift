/// Checks a line and collects all of its faults.
struct LineCheck {
    private let rules: ImportRules
    private(set) var faults: [LineFault] = []

    init(_ rules: ImportRules) {
        self.rules = rules
    }

    mutating func reject(_ member: String?, _ explanation: String) {
        faults.append(LineFault(member, explanation))
    }

    /// An id is kept only in its exact form: other services refer to it, and ids sort by creation time.
    mutating func id(_ text: String?) -> UserID? {
        guard let text else { return nil }
        guard ULID.isOne(text, "user") else {
            reject("id", "must be an id of Gatehouse, such as user_01J00000000000000000000000")
            return nil
        }
        return UserID(text)
    }

    /// A short text without control characters; nil when it is empty or not valid.
    mutating func text(_ text: String?, _ member: String, atMost limit: Int) -> String? {
        guard let text else { return nil }
        guard text.utf8.count <= limit else {
            reject(member, "must be at most \(limit) bytes")
            return nil
        }
        guard !text.hasControlCharacters else {
            reject(member, "must not contain control characters")
            return nil
        }
        return text.trimmedOrNil
    }

    /// The address as the provider states it. It is not converted: addresses are compared without regard to case.
    mutating func address(_ text: String?, _ member: String) -> String? {
        guard let text = self.text(text, member, atMost: EmailAddress.longest) else { return nil }
        // As a login does, which stores what the provider states: the part before the last @ may contain another one.
        let at = UInt8(ascii: "@")
        if !text.utf8.dropFirst().dropLast().contains(at) { reject(member, "must be an email address") }
        return text
    }

    mutating func avatar(_ text: String?) -> String? {
        guard let text = self.text(text, "avatarUrl", atMost: ImportRules.longestURL) else { return nil }
        if !text.isHTTPSAddress { reject("avatarUrl", "must be an https URL") }
        return text
    }

    mutating func role(_ text: String?) -> Role {
        guard let text else { return .user }
        guard let role = Role(rawValue: text) else {
            reject("role", "must be one of " + Role.allCases.map(\.rawValue).joined(separator: ", "))
            return .user
        }
        if role != .user, !rules.permitsRoles { reject("role", "must be USER: another one needs --roles") }
        return role
    }

    mutating func status(_ text: String?) -> UserStatus {
        guard let text else { return .active }
        guard let status = UserStatus(rawValue: text), status != .deleted else {
            reject("status", "must be ACTIVE or DISABLED")
            return .active
        }
        return status
    }

    mutating func time(_ text: String?, _ member: String) -> Timestamp? {
        guard let text else { return nil }
        guard let moment = Timestamp(imported: text) else {
            reject(member, "must be a time such as 2026-11-21T10:00:00Z")
            return nil
        }
        if moment.milliseconds < 0 || moment > rules.now + ImportRules.clockTolerance {
            reject(member, "must be between 1970 and now")
        }
        return moment
    }
}

extension ULID {
    /// Whether a text is an id as `make` makes it.
    static func isOne(_ text: String, _ prefix: String) -> Bool {
        let digits = text.utf8.dropFirst(prefix.utf8.count + 1)
        // 26 digits of five bits hold 130: the first one is at most 7.
        return text.hasPrefix(prefix + "_") && digits.count == 26 && digits.first! <= UInt8(ascii: "7")
            && digits.allSatisfy(isDigit)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "I"), UInt8(ascii: "L"), UInt8(ascii: "O"), UInt8(ascii: "U"): false
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: false
        }
    }
}
