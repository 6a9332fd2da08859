import CommandLineTool
import Foundation
import TestSupport
import Testing

@testable import GatehouseCommand

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
        #expect(fault.status == .usage)
        #expect(fault.message.contains("may not write to \(place)."))
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
