import Foundation
import TestSupport
import Testing

@testable import GatehouseCommand

@Suite("A unit that may write to one folder")
struct UnitFolderTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["granted", "granted/below", "granted-not", "open"] {
            try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: false)
        }
    }

    private func refusal(of name: String) throws -> CommandFault? {
        let unit = try #require(UnitFolder(of: ["DATABASE_FOLDER": folder.file("granted")]))
        do {
            try unit.refuseDatabase(at: folder.file(name))
            return nil
        } catch { return error }
    }

    @Test(
        "refuses a database elsewhere, where nothing can be written, as a fault of the configuration",
        arguments: ["missing/gatehouse.db", "granted-missing/gatehouse.db", "missing/deeper/gatehouse.db"])
    func elsewhere(name: String) throws {
        let fault = try #require(try refusal(of: name))
        let place = String(folder.file(name).dropLast("/gatehouse.db".count))
        #expect(fault.status == .usage)
        #expect(fault.message.contains("may not write to \(place)."))
        #expect(fault.message.hasSuffix("gatehouse-database-folder \(place) && systemctl restart gatehouse"))
    }

    @Test(
        "leaves its own folder to the store, and a folder that another drop-in has opened",
        arguments: ["granted/a.db", "granted/below/a.db", "granted/missing/a.db", "open/a.db"])
    func open(name: String) throws {
        #expect(try refusal(of: name) == nil)
    }

    @Test("is none where no unit started the server", arguments: [[:], ["DATABASE_FOLDER": ""]])
    func none(variables: [String: String]) {
        #expect(UnitFolder(of: variables) == nil)
    }
}
