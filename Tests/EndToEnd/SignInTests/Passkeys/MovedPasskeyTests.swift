import Foundation
import JSON
import StandIn
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Passkeys of another installation")
struct MovedPasskeyTests {
    private let fixture: PasskeyFixture
    private let folder: TemporaryFolder
    private var file: String { folder.file("users.jsonl") }

    init() throws {
        (fixture, folder) = (try PasskeyFixture(), try TemporaryFolder())
    }

    private func run(_ arguments: String..., at fixture: PasskeyFixture) throws -> Shell.Outcome {
        try Shell.outcome(
            of: [Executable.gatehouse] + arguments, environment: ["DATABASE_URL": fixture.inProcess.testDatabase.url])
    }

    @Test("A passkey of an exported user signs in where the file was imported, also with bytes in base64")
    func imported() throws {
        var (device, login) = try fixture.newUser(["nickname": "Ann"], counting: 3)
        _ = try run("users", "export", file, at: fixture)
        var text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains(device.passkeys[0].name) && text.contains("\"passkeys\""))
        let key = try #require(text.firstMatch(of: /"publicKey":"([^"]+)"/)?.1)
        let padding = String(repeating: "=", count: (4 - key.utf8.count % 4) % 4)
        text.replace(key, with: key.replacing("-", with: "+").replacing("_", with: "/") + padding)
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let other = try PasskeyFixture()
        #expect(try run("users", "import", file, at: other).status == 0)
        device.signCount = 4
        let moved = try other.logIn(&device)
        #expect(moved.status == 200 && moved.userID == login.userID && moved["isNewUser"] == false, "\(moved.json)")
        device.signCount = 4
        #expect(try other.refusal(other.logIn(&device)) == "401 invalid_passkey counter")
    }

    @Test("A line with a credential that a user has is a fault, and so is one that two lines have")
    func taken() throws {
        let (device, _) = try fixture.newUser()
        _ = try run("users", "export", file, at: fixture)
        let line = try String(contentsOfFile: file, encoding: .utf8)
        // Another handle, and so another identity, with the same credential.
        let other = line.replacing(/"subject":"[^"]+"/, with: "\"subject\":\"AAAA\"")
            .replacing(/"id":"[^"]+",/, with: "")
        try other.write(toFile: file, atomically: true, encoding: .utf8)
        let outcome = try run("users", "import", file, at: fixture)
        #expect(outcome.status == 1 && outcome.errorOutput.contains("have a passkey that another user has"))
        #expect(!outcome.errorOutput.contains(device.passkeys[0].name))
        try (line + other).write(toFile: file, atomically: true, encoding: .utf8)
        let both = try run("users", "import", file, at: PasskeyFixture())
        #expect(both.status == 1 && both.errorOutput.contains("must not be in two lines"), "\(both.errorOutput)")
    }
}
