import Foundation
import TestSupport
import Testing

@testable import ServerSupport

@Suite("The build folder of a checkout that was moved")
struct MovedCheckoutTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["old/deploy/lib", "old/.build/x86_64-linux/debug/ModuleCache/A", "old/.build/debug"] {
            try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
        }
        try FileManager.default.copyItem(
            atPath: Executable.root + "/deploy/lib/moved-checkout", toPath: folder.file("old/deploy/lib/moved-checkout")
        )
        let cache = folder.file("old/.build/x86_64-linux/debug/ModuleCache")
        try "\u{1}\(try real(cache))/A".write(toFile: cache + "/A/Glibc.pcm", atomically: true, encoding: .utf8)
    }

    private func real(_ path: String) throws -> String {
        String(decoding: try Shell.run(["realpath", path]), as: UTF8.self).trimmingCharacters(in: .newlines)
    }

    private func check(_ checkout: String) throws -> String {
        let outcome = try Shell.outcome(of: [folder.file(checkout) + "/deploy/lib/moved-checkout"])
        #expect(outcome.status == 0)
        return outcome.errorOutput
    }

    private func hasCache(_ checkout: String) -> Bool {
        FileManager.default.fileExists(
            atPath: folder.file(checkout) + "/.build/x86_64-linux/debug/ModuleCache/A/Glibc.pcm")
    }

    @Test("The module caches stay while the checkout stays")
    func inPlace() throws {
        #expect(try check("old") == "")
        #expect(try check("old") == "")
        #expect(hasCache("old"))
    }

    @Test("The module caches are removed after a move, once, and a line says so", arguments: [true, false])
    func moved(isRecorded: Bool) throws {
        if isRecorded { _ = try check("old") }
        try FileManager.default.moveItem(atPath: folder.file("old"), toPath: folder.file("new"))
        let message = try check("new")
        #expect(message.contains("the checkout was moved") && message.split(separator: "\n").count == 1)
        #expect(!hasCache("new"))
        #expect(FileManager.default.fileExists(atPath: folder.file("new/.build/debug")))
        #expect(try check("new") == "")
    }

    @Test("Without a build folder there is nothing to do")
    func withoutBuild() throws {
        try FileManager.default.removeItem(atPath: folder.file("old/.build"))
        #expect(try check("old") == "")
    }

    @Test("Every script that builds checks it", arguments: ["run", "test", "package", "bench"])
    func scripts(_ name: String) throws {
        let text = try String(contentsOfFile: Executable.root + "/deploy/" + name, encoding: .utf8)
        #expect(text.contains("deploy/lib/moved-checkout"))
    }
}
