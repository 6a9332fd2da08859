import FileSystem
import Glibc
import POSIX
import TestSupport
import Testing

@Suite("SharedCounter")
struct SharedCounterTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("counter") }

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("starts at zero, and increments are visible to the other process")
    func shared() throws {
        let first = try #require(try SharedCounter.open(path, creating: true))
        let second = try #require(try SharedCounter.open(path, creating: false))
        #expect(first.value == 0)
        second.increment()
        #expect(first.value == 1)
        first.increment()
        #expect(second.value == 2)
    }

    @Test("keeps its value when it is opened again")
    func goesOn() throws {
        try SharedCounter.open(path, creating: true)?.increment()
        for creating in [true, false] {
            #expect(try SharedCounter.open(path, creating: creating)?.value == 1)
        }
    }

    @Test("allocates its space on the disk and keeps the other bytes of the file")
    func room() throws {
        _ = try SharedCounter.open(path, creating: true)
        var information = stat()
        #expect(stat(path, &information) == 0)
        #expect(information.st_size == 8 && information.st_blocks > 0)
        try File.replace(path, with: Array("12345678 and more".utf8))
        _ = try SharedCounter.open(path, creating: true)
        #expect(try File.read(path) == Array("12345678 and more".utf8))
    }

    @Test("concurrent increments are all counted")
    func concurrent() throws {
        _ = try SharedCounter.open(path, creating: true)
        _ = try Concurrently.run(8) { [path] _ in
            let counter = try SharedCounter.open(path, creating: false)
            for _ in 0..<1000 { counter?.increment() }
        }
        #expect(try SharedCounter.open(path, creating: false)?.value == 8000)
    }

    @Test("rejects symbolic links and files with several hard links")
    func links() throws {
        let other = folder.file("other")
        _ = try File.create(other, with: Array("12345678".utf8))
        #expect(symlink(other, path) == 0)
        for creating in [true, false] {
            let error = POSIXError("open \(path)", code: ELOOP)
            #expect(throws: error) { try SharedCounter.open(path, creating: creating) }
        }
        unlink(path)
        #expect(link(other, path) == 0)
        for creating in [true, false] {
            let error = POSIXError("open \(path)", code: EMLINK)
            #expect(throws: error) { try SharedCounter.open(path, creating: creating) }
        }
        #expect(try File.read(other) == Array("12345678".utf8))
    }

    @Test("is not created without `creating`")
    func missing() throws {
        #expect(try SharedCounter.open(path, creating: false) == nil)
        #expect(!File.exists(path))
        #expect(throws: POSIXError.self) { try SharedCounter.open(folder.file("no/where"), creating: true) }
    }
}
