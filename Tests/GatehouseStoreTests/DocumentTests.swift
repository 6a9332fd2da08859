import Gatehouse
import GatehouseStore
import TestSupport
import Testing

@Suite("Documents in the store")
struct DocumentTests {
    private let folder: TemporaryFolder
    private let store: SQLiteStore

    init() throws {
        folder = try TemporaryFolder()
        store = try SQLiteStore(path: folder.file("gatehouse.db"))
    }

    @Test("a document is read as it was written, also after reopening the store and beside a server")
    func keeps() throws {
        let document = Document(content: Array("content\u{0}\u{FF}".utf8), updatedAt: SampleLogin.noon)
        try store.keep(document, as: "name")
        #expect(try store.document("name") == document)
        #expect(try SQLiteStore(path: folder.file("gatehouse.db")).document("name") == document)
        #expect(try SQLiteFile(path: folder.file("gatehouse.db")).document("name") == document)
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
