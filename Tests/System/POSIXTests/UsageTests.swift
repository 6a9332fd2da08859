import FileSystem
import POSIX
import Processes
import TestSupport
import Testing

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
