import CommandLineTool
import FileSystem
import Gatehouse
import JSON
import POSIX
import Processes
import StandIn

@main
struct StandInProgram {
    /// As it was called. For one release, `fake-apple` is another name for `stand-in`.
    static let name =
        CommandLine.arguments[0].split(separator: "/").last == "fake-apple" ? "fake-apple" : "stand-in"

    static func main() {
        Program(
            name: name, summary: "Plays Apple and the other parties that Gatehouse talks to, for development.",
            commands: [
                ServeCommand(), MintCommand(), NotifyCommand(), PasskeyCreateCommand(), PasskeySignCommand(),
                ConsoleCommand(),
            ],
            errors: TextErrorReporter(program: name)
        ).main()
    }
}

/// The environment of the stand-in.
enum Environment {
    /// The apps that tokens are for by default: those of `APPLE_BUNDLE_ID`, as the server reads it.
    static var clientIDs: [String] {
        let listed = ProcessEnvironment.variables()["APPLE_BUNDLE_ID"]?.split(separator: ",").map(String.init) ?? []
        let trimmed = listed.map { String($0.filter { $0 != " " }) }.filter { !$0.isEmpty }
        return trimmed.isEmpty ? [MintOrder.defaultBundleID] : trimmed
    }

    static var bundleID: String { clientIDs[0] }

    /// A server in production must never trust these keys, so no command runs in its environment.
    static func refuseProduction() throws(CommandError) {
        let variables = ProcessEnvironment.variables()
        let isProduction = ["APP_ENV", "NODE_ENV"].contains { name in
            variables[name].map { $0.filter { !$0.isWhitespace }.lowercased() == "production" } ?? false
        }
        guard !isProduction else {
            throw CommandError(.usage, "\(StandInProgram.name) does not run in production: unset APP_ENV and NODE_ENV")
        }
    }
}

/// Standard output as a log, which the console shows.
enum LogOutput {
    @Sendable static func nothing(_ members: JSONObject) {}

    @Sendable static func write(_ members: JSONObject) {
        let time = Timestamp(milliseconds: WallClock.millisecondsSince1970())
        var line: JSONObject = ["time": .string("\(time)")]
        for (name, value) in members.members { line[name] = value }
        StandardStream.output.line(line.description)
    }
}
