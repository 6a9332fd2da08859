import GatehouseServer
import IdentityProviders
import JSON

/// A value of a provider: its label in text, and its name in JSON.
struct Field {
    let label: String
    let member: String
    let value: JSONValue

    init(_ label: String, _ member: String, _ value: JSONValue) {
        self.label = label
        self.member = member
        self.value = value
    }
}

extension ConfiguredProvider {
    /// Of an app that is registered with an id and a secret; empty for another provider.
    var appFields: [Field] {
        guard let app else { return [] }
        let secret = kind == .qq ? (label: "app key", member: "appKey") : (label: "app secret", member: "appSecret")
        return Self.fields(id: app.id, secret: secret, api: app.apiURL)
    }

    /// Of the client with which browsers sign in. An address that is null is in the metadata of the issuer.
    var webFields: [Field] {
        guard let web else { return [Field("client id", "clientId", .null)] }
        let fields = [
            Field("client id", "clientId", .string(web.id)), Field("client secret", "clientSecret", "set"),
            Field("page", "authorizationUrl", JSONValue(web.pageURL)),
        ]
        guard openID != nil else { return fields }
        return fields + [
            Field("token endpoint", "tokenUrl", JSONValue(web.tokenURL)),
            Field("scopes", "scopes", .string(web.scopes)),
        ]
    }

    /// A provider without its secret is a fault of the settings, so every provider that was read has a secret.
    private static func fields(id: String, secret: (label: String, member: String), api: String) -> [Field] {
        [
            Field("app id", "appId", .string(id)), Field(secret.label, secret.member, "set"),
            Field("api", "apiUrl", .string(api)),
        ]
    }
}

extension KeySetAddress {
    /// The address that is fetched first: of the keys, or of the metadata that names them.
    var text: String {
        switch self {
        case .keySet(let url): url
        case .discovery(let issuer):
            (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
        }
    }
}

extension JSONValue {
    init(_ texts: [String]) { self = .array(texts.map(JSONValue.string)) }

    /// For a table: the entries of a list with commas; nil for an empty one.
    var text: String? {
        if let entries = array { return entries.isEmpty ? nil : entries.compactMap(\.string).joined(separator: ",") }
        return string
    }
}
