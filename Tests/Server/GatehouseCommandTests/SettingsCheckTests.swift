import CommandLineTool
import Foundation
import Gatehouse
import GatehouseStore
import JSON
import SQL
import SQLite
import TestSupport
import Testing

@testable import GatehouseCommand

@Suite("gatehouse check --settings")
struct SettingsCheckTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
    }

    private func check(_ changes: [String: String], _ words: String...) throws -> Shell.Outcome {
        try tool.run(["check", "--settings"] + words, tool.settings(changes))
    }

    @Test("exits 0 if serve could start, and opens and creates no file")
    func good() throws {
        let outcome = try check(["DATABASE_URL": "sqlite:/nowhere/at/all.db"])
        #expect(outcome.status == 0 && outcome.errorOutput.isEmpty)
        #expect(outcome.text == "ok     settings  gatehouse serve can start with them: the environment\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: tool.folder.path).isEmpty)
    }

    @Test("names every fault with advice but without values, and exits 2")
    func bad() throws {
        let faults = ["WORKERS": "Xmany", "LISTEN": "Xhere", "JWT_ACCESS_SECRET": "Xshort"]
        let outcome = try check(faults)
        #expect(outcome.status == 2)
        for name in faults.keys { #expect(outcome.text.contains("FAULT  settings  \(name) "), "\(outcome.text)") }
        #expect(outcome.text.components(separatedBy: "→ change it in the environment").count == 4)
        #expect(!outcome.everything.contains("X"))
        let json = try JSONValue(parsing: try check(faults, "--json").output).object
        #expect(json?["ok"] == false && json?["checks"]?.array?.count == 3)
    }

    @Test("advises sudo if the user may not read the secrets", .enabled(if: getuid() == 0))
    func denied() throws {
        let secrets = try TemporaryFolder()
        chmod(secrets.path, 0o700)
        let outcome = try Shell.outcome(
            of: OwnerFixture.asUser([Executable.gatehouse, "check", "--settings"]),
            environment: tool.settings(["PATH": "/usr/bin:/bin", "CREDENTIALS_DIRECTORY": secrets.path]))
        #expect(outcome.status == 2)
        #expect(outcome.text.contains("CREDENTIALS_DIRECTORY is closed to this user"), "\(outcome.everything)")
        #expect(outcome.text.contains("→ sudo gatehouse check --settings"))
    }
}

@Suite("The folder that the unit may write to")
struct UnitFolderTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["granted", "granted/below", "granted-not", "open"] {
            try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: false)
        }
    }

    private func refusal(of name: String) throws -> CommandError? {
        let unit = try #require(UnitDatabaseFolder(of: ["DATABASE_FOLDER": folder.file("granted")]))
        do {
            try unit.refuseOutsideDatabase(at: folder.file(name))
            return nil
        } catch { return error }
    }

    @Test(
        "refuses a database in another folder that is read-only, as a configuration error",
        arguments: ["missing/gatehouse.db", "granted-missing/gatehouse.db", "missing/deeper/gatehouse.db"])
    func elsewhere(name: String) throws {
        let fault = try #require(try refusal(of: name))
        let place = String(folder.file(name).dropLast("/gatehouse.db".count))
        #expect(fault.status == .usage && fault.message.contains("may not write to \(place)."))
        #expect(fault.message.hasSuffix("gatehouse-database-folder \(place) && systemctl restart gatehouse"))
    }

    @Test(
        "accepts its own folder, and a folder that another drop-in has opened",
        arguments: ["granted/a.db", "granted/below/a.db", "granted/missing/a.db", "open/a.db"])
    func open(name: String) throws {
        #expect(try refusal(of: name) == nil)
    }

    @Test("is nil if no unit started the server", arguments: [[:], ["DATABASE_FOLDER": ""]])
    func none(variables: [String: String]) {
        #expect(UnitDatabaseFolder(of: variables) == nil)
    }
}
