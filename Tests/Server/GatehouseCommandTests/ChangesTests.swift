import CommandLineTool
import Foundation
import GatehouseServer
import TestSupport
import Testing

@testable import GatehouseCommand

/// Operators and clients learn from one page what a version changes.
@Suite("The page of changes")
struct ChangesTests {
    private static func text(_ path: String) throws -> String {
        try String(contentsOfFile: Executable.root + "/" + path, encoding: .utf8)
    }

    /// The names that the latest release had.
    private static func released() throws -> Set<String> {
        Set(try text("Tests/Support/Released/0.1.0.txt").split(separator: "\n").map(String.init))
    }

    private static func migrations() throws -> [String] {
        try ["SQLite", "PostgreSQL"].flatMap { database in
            try FileManager.default.contentsOfDirectory(
                atPath: Executable.root + "/Sources/Server/GatehouseStore/Migrations/" + database)
        }.map { file in
            file.replacing(/^(postgresql_)?[0-9]+_|\.sql$/, with: "").replacing("_", with: " ")
        }
    }

    private static func endpoints() throws -> [String] {
        let document = try JSONSerialization.jsonObject(
            with: Data(text("Sources/Server/OpenAPIFile/openapi.json").utf8))
        let paths = try #require((document as? [String: Any])?["paths"] as? [String: [String: Any]])
        return paths.flatMap { path, operations in
            operations.keys.filter { $0 != "parameters" }.map { "\($0.uppercased()) \(path)" }
        }
    }

    /// Everything that an operator or a client meets.
    static func names() throws -> Set<String> {
        Set(
            try Settings.all.map(\.name) + migrations() + endpoints()
                + GatehouseCommand.commands.map { "gatehouse " + $0.words.joined(separator: " ") })
    }

    @Test("a setting, a command, an endpoint and a migration since the latest release have an entry")
    func entries() throws {
        let page = try Self.text("Sources/Server/Gatehouse/Gatehouse.docc/Releases.md")
        let newest = try #require(page.components(separatedBy: "\n## ").dropFirst().first)
        let entries = newest.matches(of: /`([^`]+)`/).map { String($0.1) }
        let missing = try Self.names().subtracting(Self.released()).filter { name in
            !entries.contains { $0 == name || $0.hasSuffix("*") && name.contains(" " + $0.dropLast()) }
        }
        #expect(missing.isEmpty, "Releases.md has no entry for: \(missing.sorted().joined(separator: ", "))")
    }

    @Test("what the latest release had is still there, or the page says under Breaking that it is not")
    func removals() throws {
        let page = try Self.text("Sources/Server/Gatehouse/Gatehouse.docc/Releases.md")
        let newest = try #require(page.components(separatedBy: "\n## ").dropFirst().first)
        let breaking = newest.components(separatedBy: "\n### ").first { $0.hasPrefix("Breaking") } ?? ""
        let gone = try Self.released().subtracting(Self.names()).filter { !breaking.contains("`\($0)`") }
        #expect(gone.isEmpty, "Breaking has no entry for: \(gone.sorted().joined(separator: ", "))")
    }
}
