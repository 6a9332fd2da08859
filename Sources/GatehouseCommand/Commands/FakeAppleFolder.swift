import FakeApple
import GatehouseServer
import POSIX

/// What the commands of the fake Apple share: where its key lies, and that production has no use for it.
enum FakeAppleFolder {
    static let options = [
        Option(name: "--keys", value: "FOLDER", help: "where its key is kept, and made if missing (.run/apple)")
    ]

    /// The app that tokens are for unless somebody says otherwise.
    static var bundleID: String {
        let listed = ProcessEnvironment.variables()["APPLE_BUNDLE_ID"]?.split(separator: ",").first
        return listed.map(String.init) ?? MintOrder.defaultBundleID
    }

    static func key(_ input: Input) throws(CommandFault) -> AppleKey {
        let folder = input.value("--keys") ?? ".run/apple"
        do { return try AppleKey(in: folder) } catch {
            throw CommandFault(.failed, "\(error)")
        }
    }

    static func refuseProduction() throws(CommandFault) {
        let variables = ProcessEnvironment.variables()
        guard variables["APP_ENV"] != "production", variables["NODE_ENV"] != "production" else {
            throw CommandFault(.usage, "the fake Apple does not run in production")
        }
    }
}
