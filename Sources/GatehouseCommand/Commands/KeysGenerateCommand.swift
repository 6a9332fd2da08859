import GatehouseTokens
import JOSE
import JSON
import POSIX

/// Makes what the settings of keys and secrets take.
struct KeysGenerateCommand: Command {
    let words = ["keys", "generate"]
    let summary = "Make a key or a secret to sign tokens with."
    let discussion = """
        ES256 and EdDSA make a private key in PEM for ACCESS_SIGNING_KEY; HS256 makes a secret for JWT_ACCESS_SECRET or
        JWT_REFRESH_SECRET, which serves as a DATA_KEY too. It is printed, or with --out put into a file that nobody else
        can read.
        """
    let options = [
        Option(name: "--alg", value: "ALG", help: "ES256, EdDSA or HS256 (ES256)"),
        Option(name: "--out", value: "FILE", help: "write it to a new file and print its kid alone"),
        Option(name: "--json", value: nil, help: "print alg, kid, pem or secret (not with --out) and publicJwk"),
    ]

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        let new = try generate(input.value("--alg") ?? Algorithm.ES256.rawValue)
        if let path = input.value("--out") { try keep(new, at: path) }
        let isKept = input.has("--out")
        if input.has("--json") {
            StandardStream.output.line(description(of: new, withText: !isKept).description)
        } else {
            StandardStream.output.line(isKept ? new.key.keyID ?? "" : new.text)
        }
        return .done
    }

    private func generate(_ name: String) throws(CommandFault) -> NewKey {
        guard let algorithm = Algorithm(rawValue: name), algorithm != .RS256 else {
            throw CommandFault(.usage, "--alg must be one of ES256, EdDSA, HS256")
        }
        do { return try NewKey.generate(algorithm) } catch {
            throw CommandFault(.failed, error.description)
        }
    }

    private func keep(_ new: NewKey, at path: String) throws(CommandFault) {
        let isNew: Bool
        do { isNew = try File.create(path, with: Array((new.text + "\n").utf8)) } catch {
            throw CommandFault(.failed, error.description)
        }
        guard isNew else { throw CommandFault(.no, "\(path) is there already, and was left as it is") }
    }

    private func description(of new: NewKey, withText: Bool) -> JSONObject {
        var json: JSONObject = ["alg": .string(new.key.algorithm.rawValue)]
        json["kid"] = new.key.keyID.map(JSONValue.string)
        if withText { json[new.key.pem == nil ? "secret" : "pem"] = .string(new.text) }
        json["publicJwk"] = new.key.publicJWK.map(JSONValue.object) ?? .null
        return json
    }
}
