import JSON
import TestSupport
import Testing

/// Tests of `gatehouse apple verify`, with the keys of a fake Apple.
protocol AppleVerifySuite {
    var tool: Tool { get }
}

/// Has minted logins and verifies them.
enum AppleVerifyTool {
    /// The keys of a fake Apple, in a file. Created once, since generating keys takes long.
    static let shared = Result { () throws in
        let tool = try Tool()
        let apple = try tool.startFakeApple()
        defer { apple.stop() }
        #expect(Eventually.holds { apple.log.contains(/:\d+\n/) })
        let address = try #require(apple.log.firstMatch(of: /http:\/\/127\.0\.0\.1:\d+/)?.output)
        _ = try tool.file("keys.json", String(decoding: try HTTP.get("\(address)/auth/keys"), as: UTF8.self))
        return tool
    }
}

extension AppleVerifySuite {
    static var noon: String { "1760000000" }

    var keys: String { tool.folder.file("keys.json") }

    func mint(_ words: String...) throws -> String {
        let outcome = try tool.runFakeApple(["mint", "--at", Self.noon] + words)
        #expect(outcome.status == 0)
        return String(outcome.text.dropLast())
    }

    func verify(_ words: String..., input: String = "", audience: String = "com.example.app") throws
        -> Shell.Outcome
    {
        try tool.run(["apple", "verify", "--jwks", keys, "--audience", audience] + words, input: input)
    }

    func login(_ words: String...) throws -> String {
        let outcome = try tool.runFakeApple(["mint", "--login", "--at", Self.noon] + words)
        #expect(outcome.status == 0)
        return outcome.text
    }

    /// The lines of standard error: mark, check and text.
    func report(_ outcome: Shell.Outcome) -> [(mark: String, check: String, text: String)] {
        outcome.errorOutput.split(separator: "\n").map { line in
            let words = line.split(separator: /\s\s+/, maxSplits: 2).map(String.init)
            return (words[0], words[1], words.count > 2 ? words[2] : "")
        }
    }

    static var checks: [String] {
        [
            "form", "algorithm", "key id", "claims", "subject", "issuer", "audience", "times", "key", "signature",
            "nonce",
            "code", "user",
        ]
    }
}
