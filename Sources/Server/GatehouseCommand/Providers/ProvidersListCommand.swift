import CommandLineTool
import Gatehouse
import GatehouseServer
import IdentityProviders
import JSON

struct ProvidersListCommand: Command {
    let words = ["providers", "list"]
    let summary = "List the providers that have a file each."
    let discussion = """
        Reads the files in PROVIDERS_DIR as serve would, and prints no secret. Exits 2 and names every fault if a file is
        wrong. Sign in with Apple is not listed: its settings are in gatehouse.conf.
        """
    let options = [Option.json]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let providers = try readProviders()
        Report(
            json: ["providers": .array(providers.map(\.summary))],
            text: Table(providers.map(\.row), under: ConfiguredProvider.columns).text
        ).print(for: arguments)
        return .done
    }
}

/// The providers with a file each; the error names every fault of the files.
func readProviders() throws(CommandError) -> [ConfiguredProvider] {
    try readSettings { () throws(SettingFaults) in try Configuration.providers(from: .current()) }
}

extension ConfiguredProvider {
    fileprivate static let columns = ["NAME", "KIND", "ISSUER", "APP ID", "CLIENT ID", "AUDIENCES", "KEYS"]

    /// The cells under `columns`.
    fileprivate var row: [String?] {
        [
            name.lowercaseName, kind, openID?.rules.issuers.joined(separator: ","), app?.id, web?.id,
            openID?.rules.audiences.joined(separator: ","), openID?.keys.text,
        ]
    }

    fileprivate var summary: JSONValue {
        [
            "name": .string(name.lowercaseName), "kind": .string(kind),
            "issuers": openID.map { JSONValue($0.rules.issuers) } ?? .null, "appId": JSONValue(app?.id),
            "clientId": JSONValue(web?.id),
            "audiences": openID.map { JSONValue($0.rules.audiences) } ?? .null, "keys": JSONValue(openID?.keys.text),
        ]
    }
}
