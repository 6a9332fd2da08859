import CommandLineTool
import FileSystem
import GatehouseTokens
import JOSE
import JSON
import POSIX

struct KeysGenerateCommand: Command {
    let words = ["keys", "generate"]
    let summary = "Generate a signing key or a secret."
    let discussion = """
        ES256 and EdDSA generate a private key in PEM for ACCESS_SIGNING_KEY. HS256 generates a secret for JWT_ACCESS_SECRET,
        JWT_REFRESH_SECRET or DATA_KEY. It is printed, or with --out written to a file that only this user can read.
        """
    let options = [
        Option(name: "--alg", value: "ALG", help: "ES256, EdDSA or HS256 (ES256)"),
        Option(name: "--out", value: "FILE", help: "write it to a new file and print only its kid"),
        Option(name: "--json", help: "print alg, kid, pem or secret (not with --out) and publicJwk"),
    ]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let new = try generate(arguments.value("--alg") ?? Algorithm.ES256.rawValue)
        if let path = arguments.value("--out") { try write(new, to: path) }
        let isWritten = arguments.has("--out")
        if arguments.has("--json") {
            StandardStream.output.line(description(of: new, withText: !isWritten).description)
        } else {
            StandardStream.output.line(isWritten ? new.key.keyID ?? "" : new.text)
        }
        return .done
    }

    private func generate(_ name: String) throws(CommandError) -> NewKey {
        guard let algorithm = Algorithm(rawValue: name), algorithm != .RS256 else {
            throw CommandError(.usage, "--alg must be one of ES256, EdDSA, HS256")
        }
        do { return try NewKey.generate(algorithm) } catch {
            throw CommandError(.failed, error.description)
        }
    }

    private func write(_ new: NewKey, to path: String) throws(CommandError) {
        let isNew: Bool
        do { isNew = try File.create(path, with: Array((new.text + "\n").utf8)) } catch {
            throw CommandError(.failed, error.description)
        }
        guard isNew else { throw CommandError(.no, "\(path) exists and was not changed") }
    }

    private func description(of new: NewKey, withText: Bool) -> JSONObject {
        var json: JSONObject = ["alg": .string(new.key.algorithm.rawValue)]
        json["kid"] = new.key.keyID.map(JSONValue.string)
        if withText { json[new.key.pem == nil ? "secret" : "pem"] = .string(new.text) }
        json["publicJwk"] = new.key.publicJWK.map(JSONValue.object) ?? .null
        return json
    }
}
