import FakeApple
import Gatehouse
import JSON
import POSIX

struct FakeAppleMintCommand: Command {
    let words = ["fake-apple", "mint"]
    let summary = "Mint an identity token with the fake Apple's key."
    let discussion = """
        Prints the token alone, or with --login the whole body for POST /api/auth/apple. The code in there is known to
        no server: for one that can be exchanged, ask a fake Apple that runs (GET /mint).
        """
    let options =
        FakeAppleFolder.options + [
            Option(name: "--sub", value: "SUBJECT", help: "the person; another one at every call where left out"),
            Option(name: "--aud", value: "ID", help: "the app; the first APPLE_BUNDLE_ID where left out"),
            Option(name: "--email", value: "ADDRESS", help: "instead of a private relay address"),
            Option(name: "--nonce", value: "NONCE", help: "the nonce claim, as it is"),
            Option(name: "--era", value: "YEAR", help: "in the form of 2019, 2021 or 2025 (2025)"),
            Option(
                name: "--claim", value: "NAME=JSON", help: "any other claim, null takes one away; may be given again"),
            Option(name: "--header", value: "NAME=JSON", help: "the same for the header; may be given again"),
            Option(name: "--at", value: "UNIXTIME", help: "mint as of this moment instead of now"),
            Option(name: "--login", value: nil, help: "print the body of a login"),
        ]

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        try FakeAppleFolder.refuseProduction()
        var order = MintOrder(audience: input.value("--aud") ?? FakeAppleFolder.bundleID)
        order.subject = input.value("--sub")
        order.email = input.value("--email")
        order.nonce = input.value("--nonce")
        order.era = try era(input)
        order.claims = try FakeAppleFolder.members(input, of: "--claim")
        order.header = try FakeAppleFolder.members(input, of: "--header")
        let login = try FakeAppleFolder.mint(input).login(order, now: try Moment.read(input).seconds)
        StandardStream.output.line(
            input.has("--login") ? login.description : login["identityToken"]?.string ?? "")
        return .done
    }

    private func era(_ input: Input) throws(CommandFault) -> Era {
        guard let text = input.value("--era") else { return .booleans }
        guard let era = Era(rawValue: text) else {
            throw CommandFault(.usage, "--era must be one of \(Era.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return era
    }
}
