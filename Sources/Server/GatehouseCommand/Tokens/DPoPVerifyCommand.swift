import CommandLineTool
import Gatehouse
import GatehouseTokens
import GatehouseWeb
import JOSE
import JSON

/// Verifies a proof with the code that verifies requests.
struct DPoPVerifyCommand: Command {
    let words = ["dpop", "verify"]
    let summary = "Verify a DPoP proof of a client."
    let discussion = """
        Prints the claims of the proof and exits 0, or prints the reason of the refusal and exits 1. Sends no request and
        reads no configuration. Writes a line for each check to standard error, in order: ok, FAULT, or - if it was not
        made, because a fault came before or because nothing was given to compare with. With --json all is one document:
        ok; checks, each with subject, state (ok, fault, skipped) and message; reason and detail of a refusal; claims of a
        valid proof; jkt, the thumbprint of its key.

        PROOF is the header DPoP of a request. PROOF and the access token T may be the name of a file, and one of them may
        be - for standard input. With T, the proof's key is also compared with cnf.jkt of T, unless --jkt is given. The
        signature of T is not verified. A client with a wrong clock finds its fault with --at, the time of the server.

        Example: gatehouse dpop verify --method POST --url https://api.example.com/api/auth/refresh proof.txt
        """
    let parameters = ["PROOF"]
    let options = [
        Option(name: "--method", value: "M", help: "the method of the request"),
        Option(name: "--url", value: "U", help: "the address of the request, as the client uses it"),
        Option(name: "--access-token", value: "T", help: "the access token of the request"),
        Option(name: "--jkt", value: "THUMBPRINT", help: "the key to which the session is bound"),
        Option(name: "--at", value: "UNIXTIME", help: "verify as of this time instead of now"),
        .json,
    ]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let now = Timestamp(milliseconds: try arguments.effectiveTime { Timestamp(written: $0)?.milliseconds })
        let request = try ProvenRequest(arguments)
        let text = TokenArgument.token(in: try TokenArgument.bytes(arguments.positional[0]))
        let report = DPoPVerifyReport(text, of: request, now: now)
        let verdict = report.verdict.mapError { VerifiedToken.Refusal(reason: $0.rawValue, detail: $0.explanation) }
        let others: JSONObject = ["jkt": JSONValue(report.thumbprint)]
        return VerifiedToken(verdict: verdict, checks: report.checks, others: others).print(for: arguments)
    }
}

/// What a proof must be about, as far as the options say.
struct ProvenRequest {
    let method: String?
    let url: String?
    let accessToken: String?
    /// The thumbprint of the session's key.
    let thumbprint: String?
    /// Whether the thumbprint is the access token's.
    let isBoundByToken: Bool

    private static let thumbprintBytes = 32

    init(_ arguments: Arguments) throws(CommandError) {
        method = arguments.value("--method")
        if let method, !method.utf8.allSatisfy((UInt8(ascii: "A")...UInt8(ascii: "Z")).contains) || method.isEmpty {
            throw CommandError(.usage, "--method must be a method in capital letters, such as POST")
        }
        url = arguments.value("--url")
        if let url, ProofURL(url) == nil {
            throw CommandError(
                .usage, "--url must be the whole address, such as https://api.example.com/api/auth/refresh")
        }
        if arguments.value("--access-token") == "-", arguments.positional.first == "-" {
            throw CommandError(.usage, "only one of PROOF and --access-token can be - for standard input")
        }
        let token = try arguments.value("--access-token").map { argument throws(CommandError) in
            TokenArgument.token(in: try TokenArgument.bytes(argument))
        }
        accessToken = token
        let given = arguments.value("--jkt")
        if let given, Base64URL.decode(given)?.count != Self.thumbprintBytes {
            throw CommandError(.usage, "--jkt must be a thumbprint: a SHA-256 of 43 characters in base64url")
        }
        let tokenKey = token.flatMap(Self.boundKey)
        thumbprint = given ?? tokenKey
        isBoundByToken = given == nil && tokenKey != nil
    }

    /// The key that an access token names, unverified.
    private static func boundKey(of accessToken: String) -> String? {
        let claims = try? CompactJWS(accessToken).claims()
        return claims?["cnf"]?.object?["jkt"]?.string
    }
}
