import TestSupport
import Testing

@Suite("Arguments and help of gatehouse")
struct UsageTests {
    private static let commands = [
        "serve", "reload", "health", "check", "migrate", "move", "keys generate", "providers list", "providers show",
        "users list", "users show",
        "users disable",
        "users enable",
        "users role", "users unlink", "users delete", "users sessions", "sessions revoke", "audit", "apple verify",
        "dpop verify",
        "jws verify", "identity verify",
        "openapi", "version",
    ]

    private let tool: Tool

    @Test("output that could not be written is a failure")
    func lostOutput() throws {
        let outcome = try Shell.outcome(
            of: ["sh", "-c", "\(Executable.gatehouse) version > /dev/full"], environment: [:])
        #expect(outcome.status == 3)
        #expect(outcome.errorOutput.contains("could not be written"))
    }

    init() throws {
        tool = try Tool()
    }

    @Test("without arguments it lists the commands, and exits 2")
    func noArguments() throws {
        let outcome = try tool.run()
        #expect(outcome.status == 2)
        for command in Self.commands { #expect(outcome.text.contains("\n  \(command) ")) }
    }

    @Test("--help and help list the commands, and exit 0", arguments: ["--help", "help"])
    func help(word: String) throws {
        let outcome = try tool.run(word)
        #expect(outcome.status == 0)
        #expect(outcome.text == (try tool.run()).text)
        #expect(outcome.errorOutput.isEmpty)
    }

    @Test("every command has help, without its required arguments", arguments: commands)
    func helpOfCommand(command: String) throws {
        let words = command.split(separator: " ").map(String.init)
        for asked in [words + ["--help"], words + ["--help", "surplus"]] {
            let outcome = try tool.run(asked)
            #expect(outcome.status == 0)
            #expect(outcome.text.contains("usage: gatehouse \(command)"))
            #expect(outcome.text.contains("--help"))
            #expect(outcome.errorOutput.isEmpty)
        }
    }

    @Test(
        "an unknown command is named", arguments: ["nonsense", "apple", "users", "Serve", "-h", ""])
    func wrongCommand(word: String) throws {
        let outcome = try tool.run(word)
        #expect(outcome.status == 2)
        #expect(outcome.text.isEmpty)
        #expect(outcome.errorOutput.contains("unknown command \(word)"))
        #expect(outcome.errorOutput.contains("gatehouse --help"))
    }

    @Test("the first word of several commands alone names them")
    func halfCommand() throws {
        let outcome = try tool.run("users")
        #expect(outcome.status == 2)
        #expect(outcome.errorOutput.contains("users list, users show"))
    }

    @Test(
        "the first word of several commands has help that lists them",
        arguments: ["users", "sessions", "keys", "providers", "apple"])
    func helpOfGroup(word: String) throws {
        let outcome = try tool.run(word, "--help")
        #expect(outcome.status == 0 && outcome.errorOutput.isEmpty)
        for command in Self.commands where command.hasPrefix(word + " ") {
            #expect(outcome.text.contains("\n  \(command) "), "\(outcome.text)")
        }
        #expect(!outcome.text.contains("\n  serve "))
        for words in [["help", word], [word, "help"]] { #expect(try tool.run(words).text == outcome.text) }
    }

    @Test("help before a command is the help of the command", arguments: ["serve", "users list", "version"])
    func helpFirst(command: String) throws {
        let words = command.split(separator: " ").map(String.init)
        #expect(try tool.run(["help"] + words).text == (try tool.run(words + ["--help"])).text)
        #expect(try tool.run("help", "nonsense").status == 2)
        #expect(try tool.run("help", "--help").status == 0)
    }

    @Test("all faults in the arguments are reported at once")
    func severalFaults() throws {
        let outcome = try tool.run("apple", "verify", "--nope", "--at")
        #expect(outcome.status == 2)
        #expect(outcome.text.isEmpty)
        for fault in [
            "unknown option --nope", "--at needs a value", "--jwks FILE is required", "TOKEN is missing",
            "gatehouse apple verify --help",
        ] {
            #expect(outcome.errorOutput.contains(fault))
        }
    }

    @Test("wrong arguments are refused before the command does anything")
    func surplus() throws {
        for words in [
            ["migrate", "now"], ["version", "--json=1"], ["version", "--help=1"], ["version", "--", "--help"],
        ] {
            let outcome = try tool.run(words, ["DATABASE_URL": "sqlite:/nowhere/at/all.db"])
            #expect(outcome.status == 2, "\(words)")
            #expect(outcome.text.isEmpty)
        }
    }

    @Test("version prints one line")
    func version() throws {
        let outcome = try tool.run("version")
        #expect(outcome.status == 0)
        #expect(outcome.text.wholeMatch(of: /gatehouse \d+\.\d+\.\d+\n/) != nil)
    }
}
