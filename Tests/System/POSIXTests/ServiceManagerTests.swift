import Glibc
import TestSupport
import Testing

@testable import POSIX
@testable import Processes
@testable import Sockets

@Suite("ServiceManager")
struct ServiceManagerTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private static func manager(at address: String?, _ others: [String: String] = [:]) -> ServiceManager {
        ServiceManager(processID: 42) { $0 == "NOTIFY_SOCKET" ? address : others[$0] }
    }

    @Test("receives messages on a path or an abstract socket", arguments: [false, true])
    func messages(_ isAbstract: Bool) throws {
        let path = folder.file("notify")
        let listener = try FakeServiceManager(at: isAbstract ? "@" + path.dropFirst() : path)
        defer { listener.stop() }
        let manager = Self.manager(at: listener.address)
        #expect(manager.isPresent)
        #expect(manager.notify(.ready, .status("two\nlines")))
        #expect(manager.notify(.alive))
        #expect(manager.notify(.reloading))
        #expect(manager.notify(.stopping))
        #expect(manager.waitUntilRead())
        let lines = listener.lines
        #expect(lines.prefix(4) == ["READY=1", "STATUS=two lines", "WATCHDOG=1", "RELOADING=1"])
        #expect(lines.dropFirst(4).first?.wholeMatch(of: /MONOTONIC_USEC=[0-9]+/) != nil)
        #expect(lines.suffix(2) == ["STOPPING=1", "BARRIER=1"])
    }

    @Test("is absent without a valid NOTIFY_SOCKET", arguments: [nil, "", "@", "x", "vsock:2:1"])
    func missing(_ address: String?) {
        let manager = Self.manager(at: address, ["WATCHDOG_USEC": "1000000"])
        #expect(!manager.isPresent)
        #expect(manager.watchdogInterval == nil)
        #expect(!manager.notify(.ready))
        #expect(!manager.store(0, as: "x"))
        #expect(!manager.waitUntilRead())
    }

    @Test("messages to a missing socket fail at once")
    func gone() {
        let manager = Self.manager(at: folder.file("nothing"))
        #expect(manager.isPresent)
        #expect(!manager.notify(.ready))
        #expect(!manager.waitUntilRead())
    }

    @Test(
        "the watchdog interval is read only if it is for this process",
        arguments: [
            (interval: nil, process: nil, seconds: nil), (interval: "3000000", process: nil, seconds: 3),
            (interval: "3000000", process: "42", seconds: 3), (interval: "3000000", process: "41", seconds: nil),
            (interval: "0", process: nil, seconds: nil),
            (interval: "-1", process: nil, seconds: nil), (interval: "x", process: "42", seconds: nil),
            (interval: "3000000", process: "x", seconds: nil),
        ] as [(interval: String?, process: String?, seconds: Int?)])
    func watchdog(_ interval: String?, _ process: String?, _ seconds: Int?) {
        let others = ["WATCHDOG_USEC": interval, "WATCHDOG_PID": process].compactMapValues { $0 }
        let manager = Self.manager(at: folder.file("notify"), others)
        #expect(manager.watchdogInterval == seconds.map { .seconds($0) })
    }

    @Test("keeps a stored descriptor open until it is removed")
    func keeps() throws {
        let listener = try FakeServiceManager(at: folder.file("notify"))
        defer { listener.stop() }
        let manager = Self.manager(at: listener.address)
        let pair = try SocketPair()
        let near = pair.giveFarEnd { far in #expect(manager.store(far.number, as: "one")) }
        #expect(manager.waitUntilRead())
        #expect(listener.keptCount(of: "one") == 1)
        #expect(near.send([7], from: 0) == .moved(1))
        manager.remove("other")
        #expect(manager.waitUntilRead())
        #expect(near.send([7], from: 0) == .moved(1))
        manager.remove("one")
        #expect(manager.waitUntilRead())
        #expect(listener.keptCount(of: "one") == 0)
        #expect(near.send([7], from: 0) == .ended)
    }
}
