import POSIX
import TestSupport
import Testing

@Suite("What is used")
struct UsageTests {
    @Test("by this process is told")
    func process() throws {
        let before = ProcessUsage()
        let after = ProcessUsage()
        // Others open and close meanwhile.
        #expect(try #require(after.openDescriptors) > 2)
        #expect(try #require(after.mostDescriptors) >= #require(after.openDescriptors))
        #expect(try #require(after.residentBytes) > 1 << 20)
        #expect(try #require(after.virtualBytes) >= #require(after.residentBytes))
        #expect(try #require(after.cpuSeconds) >= #require(before.cpuSeconds))
        #expect(try #require(after.threads) > 0)
    }

    @Test("of a file system is told of where a file lies, and of nothing that is not there")
    func fileSystem() throws {
        let space = try FileSystemStatus(at: "/proc/self/exe")
        #expect(space.totalBytes > 0)
        #expect(space.freeBytes >= 0 && space.freeBytes <= space.totalBytes)
        #expect(throws: POSIXError.self) { try FileSystemStatus(at: "/nowhere/at/all") }
    }
}
