import Foundation
import Gatehouse
import TestSupport
import Testing

private let python = Executable.root + "/.build/python/bin/python"

/// The table of numbers and the library from whose metadata it is made, with numbers that are drawn for the test.
@Suite(
    "Phone numbers and the library phonenumbers", .needs(.numberLibrary),
    .enabled(
        if: FileManager.default.isExecutableFile(atPath: python),
        "there is no .build/python/bin/python: deploy/lib/packages test-all makes it"))
struct NumberLibraryTests {
    /// A number as this program reads it, in the form of the script.
    private func line(_ number: String) -> String {
        guard let read = try? PhoneNumber(number), let kind = read.kind else { return "\(number) - -" }
        return "\(number) \(read.country.code) \(kind)"
    }

    @Test(
        "numbers of each region, type and length, and what is nearly one, have the country and the kind of the library")
    func agreement() throws {
        let script = Executable.root + "/Tests/EndToEnd/Scripts/draw-numbers.py"
        let seed = UInt32.random(in: 0...UInt32.max)
        let outcome = try Shell.outcome(of: [python, script, "\(seed)", "10"])
        #expect(outcome.status == 0, "\(outcome.errorOutput)")
        let lines = outcome.text.split(separator: "\n").map(String.init)
        let different = lines.filter { line(String($0.prefix { $0 != " " })) != $0 }
        #expect(lines.count > 50_000 && lines.contains { $0.hasSuffix("mobile") })
        #expect(different.isEmpty, "seed \(seed): \(different.count) of \(lines.count), \(different.prefix(20))")
    }

    @Test("the table is what deploy/lib/phone-numbers writes")
    func generated() throws {
        let outcome = try Shell.outcome(of: [python, Executable.root + "/deploy/lib/phone-numbers"])
        #expect(outcome.status == 0, "\(outcome.errorOutput)")
        let file = Executable.root + "/Sources/Server/NumberTable/numbers.txt"
        #expect(try outcome.text == String(contentsOfFile: file, encoding: .utf8))
    }
}
