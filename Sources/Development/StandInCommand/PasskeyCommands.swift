import CommandLineTool
import FileSystem
import JSON
import POSIX
import StandIn

struct PasskeyCreateCommand: Command {
    let words = ["passkey", "create"]
    let summary = "Make a passkey, as a browser or an iPhone does, for a sign-up or for a user who is signed in."
    let discussion = PasskeyOptions.discussion(["users/me/passkeys", "auth/passkey/signup"], PasskeyFault.ofCreation)
    let options =
        PasskeyOptions.shared + [
            Option(name: "--algorithm", value: "NAME", help: "ES256, EdDSA or RS256 (the first that the options offer)")
        ]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let faults = try PasskeyOptions.faults(arguments, among: PasskeyFault.ofCreation)
        let algorithm = try arguments.choice("--algorithm", among: PasskeyAlgorithm.self)
        return try PasskeyOptions.answer(arguments) { authenticator, options throws(PasskeyError) in
            authenticator.algorithm = algorithm
            return try authenticator.create(options, faults: faults)
        }
    }
}

struct PasskeySignCommand: Command {
    let words = ["passkey", "sign"]
    let summary = "Sign in with a passkey that `passkey create` has made."
    let discussion = PasskeyOptions.discussion(["auth/passkey"], PasskeyFault.ofSignIn)
    let options =
        PasskeyOptions.shared + [
            Option(name: "--id", value: "ID", help: "the passkey's id (the newest that the options allow)")
        ]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let faults = try PasskeyOptions.faults(arguments, among: PasskeyFault.ofSignIn)
        return try PasskeyOptions.answer(arguments) { authenticator, options throws(PasskeyError) in
            try authenticator.sign(options, passkey: arguments.value("--id"), faults: faults)
        }
    }
}

/// What both commands share.
private enum PasskeyOptions {
    static let shared = [
        Option(name: "--options", value: "FILE", help: "the options of the server (standard input)"),
        Option(
            name: "--passkeys", value: "FILE",
            help: "where the passkeys are kept with their private keys, created if missing (.run/passkeys.json)"),
        Option(name: "--origin", value: "ORIGIN", help: "who asks for the passkey (https:// and the RP id, as an app)"),
        Option(name: "--top-origin", value: "ORIGIN", help: "the page whose frame asks for it"),
        Option(name: "--flags", value: "NUMBER", help: "those of the authenticator data, such as 0x05 (an iPhone's)"),
        Option(name: "--counter", value: "NUMBER", help: "the counter (0, or one more than the last time)"),
        Option(name: "--fault", value: "NAME", help: "how the answer is wrong; may be repeated"),
    ]

    static func discussion(_ paths: [String], _ faults: [PasskeyFault]) -> String {
        let width = (faults.map(\.rawValue.count).max() ?? 0) + 2
        let list = faults.map { fault in
            fault.rawValue + String(repeating: " ", count: width - fault.rawValue.count) + fault.explanation
        }
        return """
            Reads what \(paths.map { "POST /api/\($0)/options" }.joined(separator: " or "))
            has answered, {"passkeyId", "publicKey"}, and prints the body for the path without /options:
            {"passkeyId", "credential"}. From the object publicKey alone it makes the credential alone.

            The faults:
            \(list.joined(separator: "\n"))
            """
    }

    static func faults(
        _ arguments: Arguments, among known: [PasskeyFault]
    ) throws(CommandError) -> Set<PasskeyFault> {
        var faults: Set<PasskeyFault> = []
        for name in arguments.all("--fault") {
            guard let fault = known.first(where: { $0.rawValue == name }) else {
                throw CommandError(
                    .usage, "--fault must be one of \(known.map(\.rawValue).joined(separator: ", "))")
            }
            faults.insert(fault)
        }
        return faults
    }

    /// Reads options, has the authenticator answer, and keeps its passkeys.
    static func answer(
        _ arguments: Arguments,
        _ ceremony: (inout SoftwareAuthenticator, JSONObject) throws(PasskeyError) -> JSONObject
    ) throws(CommandError) -> ExitStatus {
        try Environment.refuseProduction()
        let path = arguments.value("--passkeys") ?? ".run/passkeys.json"
        let given = try json(in: arguments.value("--options") ?? "-")
        let kept = File.isMissing(path) ? [:] : try json(in: path)
        var authenticator = try refusing { () throws(PasskeyError) in try SoftwareAuthenticator(kept) }
        (authenticator.origin, authenticator.topOrigin) = (arguments.value("--origin"), arguments.value("--top-origin"))
        authenticator.flags = try number("--flags", arguments)
        authenticator.signCount = try number("--counter", arguments)
        let credential = try refusing { () throws(PasskeyError) in
            try ceremony(&authenticator, given["publicKey"]?.object ?? given)
        }
        do {
            try File.makeDirectory(File.folder(of: path))
            try File.replace(path, with: authenticator.json.bytes)
        } catch {
            throw CommandError(.failed, error.description)
        }
        let body = given["passkeyId"].map { ["passkeyId": $0, "credential": .object(credential)] } ?? credential
        StandardStream.output.line(body.description)
        return .done
    }

    private static func json(in path: String) throws(CommandError) -> JSONObject {
        let bytes: [UInt8]
        do { bytes = try File.read(path) } catch { throw CommandError(.failed, error.description) }
        guard let json = (try? JSONValue(parsing: bytes))?.object else {
            throw CommandError(.failed, "\(path == "-" ? "standard input" : path) is no JSON object")
        }
        return json
    }

    private static func refusing<Result>(
        _ body: () throws(PasskeyError) -> Result
    ) throws(CommandError) -> Result {
        do { return try body() } catch {
            switch error {
            case .excluded, .noPasskey: throw CommandError(.no, error.description)
            case .options, .key, .file: throw CommandError(.failed, error.description)
            }
        }
    }

    /// A number in decimal, or in hexadecimal after 0x.
    private static func number<Number: FixedWidthInteger>(
        _ option: String, _ arguments: Arguments
    ) throws(CommandError) -> Number? {
        guard let text = arguments.value(option) else { return nil }
        let number = text.hasPrefix("0x") ? Number(text.dropFirst(2), radix: 16) : Number(text)
        guard let number else { throw CommandError(.usage, "\(option) must be a number from 0 to \(Number.max)") }
        return number
    }
}
