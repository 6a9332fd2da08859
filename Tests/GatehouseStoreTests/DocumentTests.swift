import Gatehouse
import GatehouseStore
import TestSupport
import Testing

@Suite("A store of documents")
struct DocumentTests {
    private let folder: TemporaryFolder
    private let store: SQLiteStore

    init() throws {
        folder = try TemporaryFolder()
        store = try SQLiteStore(path: folder.file("gatehouse.db"))
    }

    @Test("gives back what was put in, also after it was closed and opened, and beside a server")
    func keeps() throws {
        let document = Document(content: Array("content\u{0}\u{FF}".utf8), updatedAt: SampleLogin.noon)
        try store.keep(document, as: "name")
        #expect(try store.document("name") == document)
        #expect(try SQLiteStore(path: folder.file("gatehouse.db")).document("name") == document)
        #expect(try SQLiteFile(path: folder.file("gatehouse.db")).document("name") == document)
    }

    @Test("has one document of a name, the last")
    func replaces() throws {
        for (number, size) in [0, 65_536, 1].enumerated() {
            let moment = SampleLogin.noon - .seconds(number)
            let document = Document(content: [UInt8](repeating: UInt8(number), count: size), updatedAt: moment)
            try store.keep(document, as: "name")
            #expect(try store.document("name") == document)
        }
    }

    @Test("knows nothing by another name")
    func others() throws {
        try store.keep(Document(content: [1], updatedAt: SampleLogin.noon), as: "name")
        for name in ["Name", "name ", "", "nam"] { #expect(try store.document(name) == nil) }
    }
}
