import Glibc
import POSIX
import TestSupport
import Testing

@Suite("A counter shared by processes")
struct SharedCounterTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("counter") }

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("begins at zero, and what one counts the other sees")
    func shared() throws {
        let first = try #require(try SharedCounter.open(path, creating: true))
        let second = try #require(try SharedCounter.open(path, creating: false))
        #expect(first.value == 0)
        second.increment()
        #expect(first.value == 1)
        first.increment()
        #expect(second.value == 2)
    }

    @Test("goes on where it was when it is opened again, by whoever may make it, too")
    func goesOn() throws {
        try SharedCounter.open(path, creating: true)?.increment()
        for creating in [true, false] {
            #expect(try SharedCounter.open(path, creating: creating)?.value == 1)
        }
    }

    @Test("has its room on the disk from the start, and leaves what stands behind it alone")
    func room() throws {
        _ = try SharedCounter.open(path, creating: true)
        var information = stat()
        #expect(stat(path, &information) == 0)
        #expect(information.st_size == 8 && information.st_blocks > 0)
        try File.replace(path, with: Array("12345678 and more".utf8))
        _ = try SharedCounter.open(path, creating: true)
        #expect(try File.read(path) == Array("12345678 and more".utf8))
    }

    @Test("loses nothing to whoever counts at the same time")
    func concurrent() throws {
        _ = try SharedCounter.open(path, creating: true)
        _ = try Crowd.of(8) { [path] _ in
            let counter = try SharedCounter.open(path, creating: false)
            for _ in 0..<1000 { counter?.increment() }
        }
        #expect(try SharedCounter.open(path, creating: false)?.value == 8000)
    }

    @Test("is no file with another name, and no link: a count would change what is not ours")
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

    @Test("is not made by whoever only looks")
    func missing() throws {
        #expect(try SharedCounter.open(path, creating: false) == nil)
        #expect(!File.exists(path))
        #expect(throws: POSIXError.self) { try SharedCounter.open(folder.file("no/where"), creating: true) }
    }
}
