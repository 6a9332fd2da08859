import Gatehouse
import StoreSupport
import TestSupport
import Testing

@testable import GatehouseStore

@Suite("Documents in the store")
struct DocumentTests {
    private let database: TestDatabase
    private let store: any ServerStore

    init() throws { (database, store) = try TestDatabase.opened() }

    @Test("a document is read as it was written, also after reopening the store and beside a server")
    func keeps() throws {
        let document = Document(content: Array("content\u{0}\u{FF}".utf8), updatedAt: SampleLogin.noon)
        try store.keep(document, as: "name")
        #expect(try store.document("name") == document)
        #expect(try database.store().document("name") == document)
        #expect(try database.storeBesideServers().document("name") == document)
    }

    @Test(
        "a document is replaced only if it has the expected content, so that one of several nodes makes the first one")
    func conditional() throws {
        func keep(_ content: UInt8, replacing old: [UInt8]?) throws -> Bool {
            try store.keep(Document(content: [content], updatedAt: SampleLogin.noon), as: "name", replacing: old)
        }
        let first = try Concurrently.run(8) { [store] number in
            try store.keep(
                Document(content: [UInt8(number)], updatedAt: SampleLogin.noon), as: "first", replacing: nil)
        }
        #expect(first.filter { $0 }.count == 1)
        #expect(try keep(1, replacing: nil))
        #expect(try !keep(2, replacing: nil))
        #expect(try !keep(2, replacing: [9]))
        #expect(try keep(2, replacing: [1]))
        #expect(try store.document("name")?.content == [2])
    }

    @Test("a document replaces the previous one of its name")
    func replaces() throws {
        for (number, size) in [0, 65_536, 1].enumerated() {
            let moment = SampleLogin.noon - .seconds(number)
            let document = Document(content: [UInt8](repeating: UInt8(number), count: size), updatedAt: moment)
            try store.keep(document, as: "name")
            #expect(try store.document("name") == document)
        }
    }

    @Test("names are compared exactly")
    func others() throws {
        try store.keep(Document(content: [1], updatedAt: SampleLogin.noon), as: "name")
        for name in ["Name", "name ", "", "nam"] { #expect(try store.document(name) == nil) }
    }

    /// The kernel's name of that run, and of this one.
    @Test(
        "the last time known counts the time since then in the same run of the machine alone",
        arguments: [("boot-1", "boot-1", true), ("boot-1", "boot-2", false), ("boot-1", nil, false), (nil, nil, false)])
    func lastKnownTime(_ written: String?, _ read: String?, isCounted: Bool) {
        let known = KnownTime(moment: SampleLogin.noon, uptime: .seconds(90))
        let found = KnownTime(document: known.document(boot: written), boot: read)
        #expect(found == (isCounted ? known : KnownTime(moment: SampleLogin.noon, uptime: nil)))
    }

    @Test("a time last known without the name of that run, or of another program, is a time only")
    func otherLastKnownTimes() {
        for content in ["", "90000", "boot-1", "x boot-1", "90000 boot-1 y"] {
            let document = Document(content: Array(content.utf8), updatedAt: SampleLogin.noon)
            #expect(KnownTime(document: document, boot: "boot-1").uptime == nil)
        }
    }
}
