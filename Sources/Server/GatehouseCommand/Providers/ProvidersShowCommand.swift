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
            Field("name", "name", .string(name.lowercaseName)), Field("kind", "kind", .string(kind.rawValue)),
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
