import CommandLineTool
import Gatehouse
import GatehouseServer
import IdentityProviders
import JOSE
import JSON

struct ProvidersShowCommand: Command {
    let words = ["providers", "show"]
    let summary = "Show the settings of one provider."
    let discussion = """
        Reads the files in PROVIDERS_DIR as serve would, and prints each value that is in force, also a default. NAME is the
        name of the file without .conf. A secret is not printed, only that it is set. Exits 1 if there is no such provider,
        and 2 with every fault if a file is wrong.
        """
    let parameters = ["NAME"]
    let options = [Option.json]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let name = arguments.positional[0]
        guard let provider = try readProviders().first(where: { $0.name.lowercaseName == name }) else {
            throw CommandError(.no, "no provider has the name \(name.printable): gatehouse providers list")
        }
        provider.report.print(for: arguments)
        return .done
    }
}

extension ConfiguredProvider {
    /// Every value, one per line. Secrets are left out.
    fileprivate var report: Report {
        let fields = commonFields + (openID.map(Self.fields) ?? appFields) + webFields
        let members = fields.map { ($0.member, $0.value) }
        let lines = fields.map { [$0.label, $0.value.text] }
        return Report(json: .object(JSONObject(members)), text: Table(lines).text)
    }

    private var commonFields: [Field] {
        [
            Field("name", "name", .string(name.lowercaseName)), Field("kind", "kind", .string(kind)),
        ]
    }

    private static func fields(_ rules: TokenRules, _ keys: KeySetAddress) -> [Field] {
        [
            Field("issuers", "issuers", JSONValue(rules.issuers)),
            Field("audiences", "audiences", JSONValue(rules.audiences)),
            Field("authorized parties", "authorizedParties", JSONValue(rules.authorizedParties)),
            Field("algorithms", "algorithms", JSONValue(rules.algorithms.map(\.rawValue))),
            Field("nonce", "nonce", .string(rules.nonce.rawValue)),
            Field("max age", "maxAge", .string(rules.maximumAge?.setting ?? "")),
            Field("required claims", "requiredClaims", JSONValue(rules.required.map { "\($0.name)=\($0.value)" })),
            Field("keys", "keys", .string(keys.text)),
        ]
    }
}

/// A value of a provider: its label in text, and its name in JSON.
struct Field {
    let label: String
    let member: String
    let value: JSONValue

    init(_ label: String, _ member: String, _ value: JSONValue) {
        (self.label, self.member, self.value) = (label, member, value)
    }
}

extension ConfiguredProvider {
    /// Of an app that is registered with an id and a secret; empty for another provider.
    var appFields: [Field] {
        guard let app else { return [] }
        // A provider without its secret is a fault of the settings, so every provider that was read has a secret.
        let words = app.secretSetting.lowercased().split(separator: "_").map(String.init)
        let member = words[0] + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return [
            Field("app id", "appId", .string(app.id)), Field(words.joined(separator: " "), member, "set"),
            Field("api", "apiUrl", .string(app.apiURL)),
        ]
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
