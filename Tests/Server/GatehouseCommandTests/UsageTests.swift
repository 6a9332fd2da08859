import TestSupport
import Testing

@Suite("Arguments and help of gatehouse")
struct UsageTests {
    private static let commands = [
        "serve", "reload", "health", "check", "migrate", "move", "keys generate", "providers list", "providers show",
        "users list", "users show", "users disable", "users enable", "users role", "users unlink", "users delete",
        "users sessions", "sessions revoke", "audit", "apple verify", "dpop verify", "jws verify", "identity verify",
        "openapi", "version",
    ]

    private let tool: Tool

    @Test("output that could not be written is a failure")
    func lostOutput() throws {
        let outcome = try Shell.outcome(
            of: ["sh", "-c", "\(Executable.gatehouse) version > /dev/full"], environment: [:])
        outcome.expect(3, saying: "could not be written")
    }

    init() throws {
        tool = try Tool()
    }

    @Test("without arguments it lists the commands, and exits 2; with --help or help it exits 0")
    func noArguments() throws {
        let outcome = try tool.run()
        #expect(outcome.status == 2)
        for command in Self.commands { #expect(outcome.text.contains("\n  \(command) ")) }
        for words in [["--help"], ["help"], ["help", "--help"]] {
            let asked = try tool.run(words)
            #expect(asked.status == 0 && asked.text == outcome.text && asked.errorOutput.isEmpty)
        }
    }

    @Test("every command has help, without its required arguments", arguments: commands)
    func helpOfCommand(command: String) throws {
        let outcome = try tool.run(command.split(separator: " ").map(String.init) + ["--help", "surplus"])
        #expect(outcome.status == 0 && outcome.errorOutput.isEmpty)
        #expect(outcome.text.contains("usage: gatehouse \(command)") && outcome.text.contains("--help"))
    }

    @Test(
        "an unknown command is named", arguments: ["nonsense", "apple", "users", "Serve", "-h", ""])
    func wrongCommand(word: String) throws {
        let outcome = try tool.run(word)
        outcome.expectRefusal(2, saying: "unknown command \(word)")
        #expect(outcome.errorOutput.contains("gatehouse --help"))
        #expect(word != "users" || outcome.errorOutput.contains("users list, users show"), "it names its commands")
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

    @Test("help before a command is the help of the command")
    func helpFirst() throws {
        for words in [["serve"], ["users", "list"]] {
            #expect(try tool.run(["help"] + words).text == (try tool.run(words + ["--help"])).text)
        }
        try tool.run("help", "nonsense").expect(2)
    }

    @Test("all faults in the arguments are reported at once")
    func severalFaults() throws {
        let outcome = try tool.run("apple", "verify", "--nope", "--at")
        outcome.expectRefusal(2)
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
            #expect(outcome.status == 2 && outcome.text.isEmpty, "\(words)")
        }
    }

    @Test("version prints one line")
    func version() throws {
        let outcome = try tool.run("version")
        #expect(outcome.status == 0)
        #expect(outcome.text.wholeMatch(of: /gatehouse \d+\.\d+\.\d+(~dev)?\n/) != nil)
    }
}
