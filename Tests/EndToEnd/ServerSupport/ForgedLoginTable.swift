import JSON
import Testing

/// Forged logins that are wrong in one aspect each.
struct ForgedLoginTable: Sendable, CustomTestStringConvertible {
    struct Row: Sendable {
        let name: String
        let reason: String
        let body: JSONObject
    }

    let name: String
    /// The number of key fetches that all rows together may cause.
    var keyFetches = 0
    let rows: @Sendable (IdentityTokenBuilder) throws -> [Row]

    var testDescription: String { name }
}

extension IdentityTokenBuilder {
    /// The valid login with another token.
    func row(_ name: String, expecting reason: String, token: String) -> ForgedLoginTable.Row {
        row(name, expecting: reason, member: "identityToken", .string(token))
    }

    /// The valid login with one changed member.
    func row(
        _ name: String, expecting reason: String, member: String, _ value: JSONValue?
    ) -> ForgedLoginTable.Row {
        var body = body
        body[member] = value
        return ForgedLoginTable.Row(name: name, reason: reason, body: body)
    }
}
