import CommandLineTool
import FileSystem
import JSON
import StandIn

struct MintCommand: Command {
    let words = ["mint"]
    let summary = "Mint an identity token with the keys of the folder."
    let discussion = """
        Prints the token alone, or with --login the whole body for POST /api/auth/apple. The code in that body cannot be
        exchanged; a running stand-in issues one that can (GET /mint).
        """
    let options =
        [
            .keys,
            Option(name: "--sub", value: "SUBJECT", help: "the user (a new one for each call)"),
            .audience,
            .email,
            Option(name: "--nonce", value: "NONCE", help: "the nonce claim"),
            Option(name: "--era", value: "YEAR", help: "the form of tokens in 2019, 2021 or 2025 (2025)"),
            .claim, .header, .time,
            Option(name: "--login", help: "print the body of a login"),
        ]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        try Environment.refuseProduction()
        var order = MintOrder(audience: arguments.value("--aud") ?? Environment.bundleID)
        order.subject = arguments.value("--sub")
        order.email = arguments.value("--email")
        order.nonce = arguments.value("--nonce")
        order.era = try era(arguments)
        order.claims = try arguments.members("--claim")
        order.header = try arguments.members("--header")
        let (mint, view) = try arguments.mint()
        let login = mint.login(order, view: view, now: try arguments.effectiveTime())
        StandardStream.output.line(
            arguments.has("--login") ? login.description : login["identityToken"]?.string ?? "")
        return .done
    }

    private func era(_ arguments: Arguments) throws(CommandError) -> Era {
        guard let text = arguments.value("--era") else { return .booleans }
        guard let era = Era(rawValue: text) else {
            throw CommandError(.usage, "--era must be one of \(Era.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return era
    }
}
