import FakeApple
import GatehouseServer
import JSON
import POSIX

/// What the commands of the fake Apple share: where its key lies, and that production has no use for it.
enum FakeAppleFolder {
    static let options = [
        Option(name: "--keys", value: "FOLDER", help: "where its key is kept, and made if missing (.run/apple)")
    ]

    /// The apps that tokens are for unless somebody says otherwise.
    static var clientIDs: [String] {
        let listed = ProcessEnvironment.variables()["APPLE_BUNDLE_ID"]?.split(separator: ",").map(String.init) ?? []
        let trimmed = listed.map { String($0.filter { $0 != " " }) }.filter { !$0.isEmpty }
        return trimmed.isEmpty ? [MintOrder.defaultBundleID] : trimmed
    }

    static var bundleID: String { clientIDs[0] }

    static func path(_ input: Input) -> String { input.value("--keys") ?? ".run/apple" }

    static func mint(_ input: Input) throws(CommandFault) -> Mint {
        do { return Mint(key: try PublishedKeys(in: path(input)).signing) } catch {
            throw CommandFault(.failed, "\(error)")
        }
    }

    /// Reads `NAME=JSON` pairs.
    static func members(_ input: Input, of option: String) throws(CommandFault) -> JSONObject {
        var result: JSONObject = [:]
        for pair in input.all(option) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty else {
                throw CommandFault(.usage, "\(option) needs NAME=JSON")
            }
            // A bare word is a string, as one would type it.
            result[parts[0]] = (try? JSONValue(parsing: parts[1])) ?? .string(parts[1])
        }
        return result
    }

    static func refuseProduction() throws(CommandFault) {
        let variables = ProcessEnvironment.variables()
        guard !["APP_ENV", "NODE_ENV"].contains(where: { AppEnvironment.isProduction(variables[$0]) }) else {
            throw CommandFault(.usage, "the fake Apple does not run in production")
        }
    }
}
