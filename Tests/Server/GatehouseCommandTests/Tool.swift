import Foundation
import TestSupport

/// Runs the programs that are built beside these tests, in an environment with only the given variables
/// and in a temporary folder.
struct Tool {
    static let secrets = [
        "JWT_ACCESS_SECRET": "access-secret-of-the-tests-0123456789",
        "JWT_REFRESH_SECRET": "refresh-secret-of-the-tests-012345678",
    ]

    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Runs a command to its end, with a time limit.
    func run(
        _ words: [String], _ environment: [String: String] = [:], input: String = "", seconds: Int = 20
    ) throws -> Shell.Outcome {
        try Shell.outcome(
            of: ["/usr/bin/timeout", "\(seconds)", Executable.gatehouse] + words, environment: environment,
            input: Array(input.utf8))
    }

    func run(_ words: String...) throws -> Shell.Outcome { try run(words) }

    /// Runs the program fake-apple, with its keys in this folder unless others are given.
    func runFakeApple(_ words: [String], _ environment: [String: String] = [:]) throws -> Shell.Outcome {
        let keys = words.contains("--keys") ? [] : ["--keys", folder.file("apple")]
        return try Shell.outcome(
            of: ["/usr/bin/timeout", "20", Executable.fakeApple] + words + keys, environment: environment)
    }

    /// Starts a fake Apple at a free port, with its keys in this folder.
    func startFakeApple(_ words: [String] = [], _ environment: [String: String] = [:]) throws -> ChildProcess {
        try ChildProcess(
            [Executable.fakeApple, "serve", "--port", "0", "--keys", folder.file("apple")] + words,
            environment: environment, log: folder.file("log"))
    }

    /// Starts a command that does not end by itself.
    func start(_ words: [String], _ environment: [String: String]) throws -> ChildProcess {
        try ChildProcess([Executable.gatehouse] + words, environment: environment, log: folder.file("log"))
    }

    /// Writes a file into the folder and returns its path.
    func file(_ name: String, _ content: String) throws -> String {
        try content.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
        return folder.file(name)
    }

    /// Valid settings for a server in this folder.
    func settings(_ changes: [String: String] = [:]) -> [String: String] {
        Self.secrets.merging([
            "APPLE_BUNDLE_ID": "com.example.app", "DATABASE_URL": "sqlite:" + folder.file("gatehouse.db"),
            "LISTEN": "unix:" + folder.file("s"), "APPLE_JWKS_URL": "http://127.0.0.1:1/auth/keys",
        ]) { $1 }.merging(changes) { $1 }
    }
}

extension Shell.Outcome {
    /// Both streams.
    var everything: String { text + errorOutput }
}
