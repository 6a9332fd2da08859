import FakeApple
import Gatehouse
import JSON
import POSIX

struct FakeAppleMintCommand: Command {
    let words = ["fake-apple", "mint"]
    let summary = "Mint an identity token with the fake Apple's key."
    let discussion = """
        Prints the token alone, or with --login the whole body for POST /api/auth/apple.
        """
    let options =
        FakeAppleFolder.options + [
            Option(name: "--sub", value: "SUBJECT", help: "the person; another one at every call where left out"),
            Option(name: "--aud", value: "ID", help: "the app; the first APPLE_BUNDLE_ID where left out"),
            Option(name: "--email", value: "ADDRESS", help: "instead of a private relay address"),
            Option(name: "--nonce", value: "NONCE", help: "the nonce claim, as it is"),
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
        order.claims = try members(input.all("--claim"), of: "--claim")
        order.header = try members(input.all("--header"), of: "--header")
        let mint = Mint(key: try FakeAppleFolder.key(input).signing)
        let login = mint.login(order, now: try Moment.read(input).seconds)
        StandardStream.output.line(
            input.has("--login") ? login.description : login["identityToken"]?.string ?? "")
        return .done
    }

    private func members(_ pairs: [String], of option: String) throws(CommandFault) -> JSONObject {
        var result: JSONObject = [:]
        for pair in pairs {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw CommandFault(.usage, "\(option) needs NAME=JSON")
            }
            // A bare word is a string, as one would type it.
            result[parts[0]] = (try? JSONValue(parsing: parts[1])) ?? .string(parts[1])
        }
        return result
    }
}
