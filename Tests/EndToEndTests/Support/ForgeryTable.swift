import JSON
import Testing

/// Logins that are wrong in one way each.
struct ForgeryTable: Sendable, CustomTestStringConvertible {
    struct Row: Sendable {
        let name: String
        let reason: String
        let body: JSONObject
    }

    let name: String
    /// How often all of them together may ask for Apple's keys.
    var mostFetches = 0
    let rows: @Sendable (Workshop) throws -> [Row]

    var testDescription: String { name }
}

extension Workshop {
    /// The genuine login with another token.
    func row(_ name: String, _ reason: String, _ token: String) -> ForgeryTable.Row {
        row(name, reason, "identityToken", .string(token))
    }

    /// The genuine login with another member.
    func row(_ name: String, _ reason: String, _ member: String, _ value: JSONValue?) -> ForgeryTable.Row {
        var body = body
        body[member] = value
        return ForgeryTable.Row(name: name, reason: reason, body: body)
    }
}
