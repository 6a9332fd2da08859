import CommandLineTool
import Gatehouse
import JSON
import StandIn

extension Option {
    static let keys = Option(
        name: "--keys", value: "FOLDER", help: "where its keys are kept, created if missing (.run/apple)")

    // What a token or a notification contains.
    static let audience = Option(name: "--aud", value: "ID", help: "the app (the first of APPLE_BUNDLE_ID)")
    static let email = Option(name: "--email", value: "ADDRESS", help: "instead of a private relay address")
    static let claim = Option(
        name: "--claim", value: "NAME=JSON", help: "any other claim; null removes one; may be repeated")
    static let header = Option(
        name: "--header", value: "NAME=JSON", help: "the same for the header; may be repeated")
    static let time = Option(name: "--at", value: "UNIXTIME", help: "as of this time instead of now")
}

/// Options and variables that all commands share.
extension Arguments {
    var keyFolder: String { value("--keys") ?? ".run/apple" }

    func effectiveTime() throws(CommandError) -> Int64 {
        try effectiveTime { Timestamp(written: $0)?.milliseconds } / 1000
    }

    /// Signs tokens with the keys of the folder, and how the owner of the app sees persons.
    func mint() throws(CommandError) -> (mint: Mint, view: TeamView) {
        do {
            return (Mint(key: try PublishedKeys(in: keyFolder).signing), try TransferStore(in: keyFolder).view)
        } catch {
            throw CommandError(.failed, "\(error)")
        }
    }

    /// Parses `NAME=JSON` pairs.
    func members(_ option: String) throws(CommandError) -> JSONObject {
        var result: JSONObject = [:]
        for pair in all(option) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw CommandError(.usage, "\(option) needs NAME=JSON")
            }
            // A bare word is a string, as it is usually typed.
            result[parts[0]] = (try? JSONValue(parsing: parts[1])) ?? .string(parts[1])
        }
        return result
    }
}
