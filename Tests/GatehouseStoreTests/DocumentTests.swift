import Gatehouse
import GatehouseStore
import StoreSupport
import TestSupport
import Testing

@Suite("Documents in the store")
struct DocumentTests {
    private let database: TestDatabase
    private let store: any ServerStore

    init() throws {
        database = try TestDatabase()
        store = try database.store()
    }

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
}
