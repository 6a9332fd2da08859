import Foundation
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Core dumps and process memory")
struct CoreDumpTests {
    private let folder: TemporaryFolder
    private let apple: FakeAppleIssuer

    init() throws {
        folder = try TemporaryFolder()
        apple = try FakeAppleIssuer()
    }

    /// Starts `gatehouse serve` in the folder without a core limit. It is a direct child, so
    /// `waitpid` reports a core dump.
    private func start(_ changes: [String: String] = [:], as user: [String] = []) throws -> pid_t {
        let settings = try TestSettings.standard(folder: folder.path, keysURL: apple.keysURL).merging(changes) { $1 }
        let (null, log) = (open("/dev/null", O_RDONLY | O_CLOEXEC), open("/dev/null", O_WRONLY | O_CLOEXEC))
        defer { for number in [null, log] { close(number) } }
        let path = ["PATH": "/usr/sbin:/sbin:/usr/bin:/bin"]
        let process = try Spawn.run(
            user + ["/bin/sh", "-c", "ulimit -c unlimited; cd \"$1\"; exec \"$2\" serve", "sh", folder.path]
                + [Executable.gatehouse], environment: settings.merging(path) { $1 }, streams: (null, log, log))
        guard Eventually.holds({ (try? FastCGIPeer(.unix(folder.file("g.sock")))) != nil }) else {
            _ = end(process, by: SIGKILL)
            throw Spawn.Failure(description: "gatehouse does not listen")
        }
        return process
    }

    /// Returns the status of `waitpid`.
    private func end(_ process: pid_t, by signal: Int32) -> Int32 {
        var raw: Int32 = 0
        kill(process, signal)
        waitpid(process, &raw, 0)
        return raw
    }

    @Test(
        "No core file is written, whatever the signal and `ulimit -c`: the limit is 0 and cannot be raised",
        arguments: [SIGABRT, SIGSEGV])
    func noCore(signal: Int32) throws {
        let process = try start(["SWIFT_BACKTRACE": "enable=no"])
        let limits = try? String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)
        #expect(limits?.contains(#/Max core file size +0 +0 +bytes/#) == true, "\(limits ?? "")")
        let status = end(process, by: signal)
        #expect(status & 0x7F == signal)
        #expect(status & 0x80 == 0, "the kernel dumped a core")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.contains("core") } == [])
    }

    /// The core limit does not apply to a core that is piped into a program, and another process of the same user could
    /// read the memory.
    @Test(
        "Other processes of the same user cannot read the memory, and process metrics still work",
        .enabled(if: getuid() == 0, "only root can run the server as another user"))
    func notDumpable() throws {
        let user = ["setpriv", "--reuid=23456", "--regid=23456", "--clear-groups"]
        chown(folder.path, 23_456, 23_456)
        let process = try start(as: user)
        defer { #expect(end(process, by: SIGTERM) == 0) }
        for name in ["mem", "environ", "maps"] {
            let outcome = try Shell.outcome(of: user + ["head", "-c", "1", "/proc/\(process)/\(name)"])
            #expect(outcome.status != 0 && outcome.errorOutput.contains("Permission denied"), "\(name)")
        }
        let peer = try FastCGIPeer(.unix(folder.file("g.sock")))
        let metrics = try peer.exchange(TestRequest.get("/metrics").fastCGIBytes).text
        for name in ["process_open_fds", "process_resident_memory_bytes", "process_threads", "process_max_fds"] {
            let value = metrics.split(separator: "\n").first { $0.hasPrefix(name + " ") }?.split(separator: " ").last
            #expect(Double(value ?? "") ?? 0 > 0, "\(name)")
        }
    }
}
