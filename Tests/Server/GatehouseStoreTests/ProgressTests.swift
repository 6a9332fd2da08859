import SQL
import SQLite
import TestSupport
import Testing

@testable import GatehouseStore

@Suite("Progress")
struct ProgressTests {
    @Test("the text is nil before the first step")
    func noStep() {
        #expect(Progress().text == nil)
    }

    @Test("a step of unknown size has its name only")
    func noAmount() {
        let progress = Progress()
        progress.begin("verifying")
        #expect(progress.text == "verifying")
    }

    @Test(
        "a step of known size has the completed amount and the total",
        arguments: [(0, "0 of 40"), (12, "12 of 40"), (41, "40 of 40")])
    func amount(_ done: Int64, _ text: String) {
        let progress = Progress()
        progress.begin("copying", unit: "pages", total: 40) { done }
        #expect(progress.text == "copying: \(text) pages")
    }

    @Test("an unknown total is left out")
    func noTotal() {
        let progress = Progress()
        progress.begin("copying", unit: "MiB", total: nil) { 3 }
        #expect(progress.text == "copying: 3 MiB")
    }

    @Test("a migration is a step with its name")
    func migration() throws {
        let connection = try Connection(path: ":memory:", access: .readWrite)
        let progress = Progress()
        let last = try #require(try Migrator(connection).migrate(progress: progress).last)
        #expect(progress.text == "applying: \(last)")
    }
}
