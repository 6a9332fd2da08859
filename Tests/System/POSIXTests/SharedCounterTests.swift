import FileSystem
import Glibc
import POSIX
import Processes
import TestSupport
import Testing

@Suite("SharedCounter")
struct SharedCounterTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("counter") }

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("starts at zero, increments are visible to the other process, and the value stays when it is opened again")
    func shared() throws {
        let first = try #require(try SharedCounter.open(path, creating: true))
        let second = try #require(try SharedCounter.open(path, creating: false))
        #expect(first.value == 0)
        second.increment()
        #expect(first.value == 1)
        first.increment()
        #expect(second.value == 2)
        for creating in [true, false] {
            #expect(try SharedCounter.open(path, creating: creating)?.value == 2)
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

@Suite("Striped counters")
struct StripedCountersTests {
    @Test("concurrent increments are all counted")
    func crowd() throws {
        let counters = StripedCounters(count: 3)
        _ = try Concurrently.run(16) { index in
            for _ in 0..<200_000 { counters.add(index % 2 + 1, to: 1) }
        }
        #expect(counters[1] == 8 * 200_000 + 8 * 400_000)
        #expect(counters[0] == 0)
        #expect(counters[2] == 0)
    }

    @Test("a decrement may run on another thread than the increment")
    func difference() throws {
        let counters = StripedCounters(count: 1)
        _ = try Concurrently.run(8) { index in
            for _ in 0..<1000 { counters.add(index < 4 ? 1 : -1, to: 0) }
        }
        #expect(counters[0] == 0)
        counters.add(-5, to: 0)
        #expect(counters[0] == -5)
    }
}

@Suite("Resource usage")
struct UsageTests {
    @Test("the usage of this process")
    func process() throws {
        let before = ProcessUsage()
        let after = ProcessUsage()
        // Other tests open and close descriptors concurrently.
        #expect(try #require(after.openDescriptors) > 2)
        #expect(try #require(after.descriptorLimit) >= #require(after.openDescriptors))
        #expect(try #require(after.residentBytes) > 1 << 20)
        #expect(try #require(after.virtualBytes) >= #require(after.residentBytes))
        #expect(try #require(after.cpuSeconds) >= #require(before.cpuSeconds))
        #expect(try #require(after.threads) > 0)
    }

    @Test("the usage of the file system of a path, which must exist")
    func fileSystem() throws {
        let space = try FileSystemStatus(at: "/proc/self/exe")
        #expect(space.totalBytes > 0)
        #expect(space.freeBytes >= 0 && space.freeBytes <= space.totalBytes)
        #expect(throws: POSIXError.self) { try FileSystemStatus(at: "/nowhere/at/all") }
    }
}
