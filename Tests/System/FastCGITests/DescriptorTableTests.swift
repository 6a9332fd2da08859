import POSIX
import Testing

@testable import FastCGI

@Suite struct DescriptorTableTests {
    private let table = DescriptorTable<String>()

    private func put(_ number: Int32, _ entry: String = "idle") { table.put(number, entry) }

    @Test("an entry is taken once, by its number and if it meets the condition, and can be put in again")
    func taking() {
        put(7)
        for number: Int32 in [0, 6, 8, 9, 100] { #expect(table.take(number, where: { _ in true }) == nil) }
        #expect(table.take(7, where: { $0 != "idle" }) == nil)
        for entry in ["idle", "second"] {
            #expect(table.take(7, where: { $0 == entry }) == entry)
            #expect(table.take(7, where: { _ in true }) == nil)
            put(7, "second")
        }
    }

    @Test("the entries that meet the condition are listed and stay in the table")
    func lists() {
        put(2)
        put(19)
        put(18, "other")
        #expect(Set(table.all(where: { $0 == "idle" }).map(\.number)) == [2, 19])
        #expect(table.all(where: { $0 == "other" }).map(\.entry) == ["other"])
        #expect(table.all(where: { _ in true }).count == 3)
    }

    /// If an entry could be taken twice, two threads would own one descriptor.
    @Test("with concurrent threads, each entry is taken once")
    func raced() throws {
        let taken = Monitor<[Int32]>([])
        let table = table
        for number in 0..<2000 { put(Int32(number)) }
        let threads = try (0..<4).map { _ in
            try Thread.spawn(name: "taker") {
                for number in Int32(0)..<2000 where table.take(number, where: { _ in true }) != nil {
                    taken.change { $0.append(number) }
                }
            }
        }
        for thread in threads { thread.join() }
        let all = taken.change { $0 }
        #expect(all.sorted() == Array(0..<2000))
    }
}
