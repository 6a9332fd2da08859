import Gatehouse
import JSON

extension UserRecord {
    static let columns = ["ID", "ROLE", "STATUS", "PROVIDERS", "CREATED", "LAST LOGIN", "EMAIL", "NICKNAME"]

    /// What stands in `columns`.
    var row: [String?] {
        [
            user.id.text, user.role.rawValue, user.status.rawValue, providers.listed, user.createdAt.description,
            lastLoginAt?.description, user.email, user.nickname,
        ]
    }

    /// Everything, a line each.
    var report: Report {
        let lines: [[String?]] = [
            ["id", user.id.text], ["email", user.email],
            ["email verified", user.emailVerified ? "yes" : "no"], ["nickname", user.nickname],
            ["avatar", user.avatarURL],
            ["role", user.role.rawValue], ["status", user.status.rawValue],
            ["onboarded", user.onboardingCompleted ? "yes" : "no"], ["providers", providers.listed],
            ["created", user.createdAt.description], ["updated", updatedAt.description],
            ["last login", lastLoginAt?.description], ["by", lastLoginProvider?.rawValue],
        ]
        return Report(json: json, text: Table(lines).text)
    }

    var json: JSONValue {
        [
            "id": .string(user.id.text), "email": JSONValue(user.email),
            "emailVerified": .bool(user.emailVerified), "nickname": JSONValue(user.nickname),
            "avatarUrl": JSONValue(user.avatarURL), "role": .string(user.role.rawValue),
            "status": .string(user.status.rawValue), "onboardingCompleted": .bool(user.onboardingCompleted),
            "providers": .array(providers.map { .string($0.rawValue) }),
            "createdAt": .string(user.createdAt.description), "updatedAt": .string(updatedAt.description),
            "lastLoginAt": JSONValue(lastLoginAt?.description),
            "lastLoginProvider": JSONValue(lastLoginProvider?.rawValue),
        ]
    }
}

extension [Provider] {
    /// Nil where there is none.
    var listed: String? {
        isEmpty ? nil : map(\.rawValue).joined(separator: ",")
    }
}
