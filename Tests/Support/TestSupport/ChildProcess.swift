package import Foundation

/// A program that a test has started. It ends with the test process, also if that is killed: a shell kills the program
/// when the other end of the shell's standard input is closed.
package final class ChildProcess: RunningProgram, @unchecked Sendable {
    private static let guardScript = """
        exec 3<&0; log=$1; shift
        "$@" </dev/null >>"$log" 2>&1 3<&- & child=$!
        echo $child; exec >&-
        (read -r _ <&3; kill -TERM $child 2>/dev/null) & reader=$!
        wait $child; status=$?
        kill $reader 2>/dev/null; exit $status
        """

    package let identifier: pid_t
    private let logPath: String
    private let shell: pid_t
    private let guardInput: Int32
    private let lock = NSLock()
    private var ended: Int32?

    package init(_ command: [String], environment: [String: String], log: String) throws {
        logPath = log
        let (input, output) = (try Spawn.pipe(), try Spawn.pipe())
        let path = "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"
        shell = try Spawn.run(
            ["/bin/sh", "-c", Self.guardScript, "guard", log] + command,
            environment: environment.merging(["PATH": path]) { own, _ in own }, streams: (input.read, output.write, 2))
        close(input.read)
        close(output.write)
        guardInput = input.write
        // The guard script first writes the program's process id.
        let line = String(decoding: Spawn.readAll(output.read), as: UTF8.self)
        close(output.read)
        guard let number = pid_t(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw Spawn.Failure(description: "\(command[0]) did not start")
        }
        identifier = number
    }

    deinit {
        stop()
        close(guardInput)
    }

    package var log: String { (try? String(contentsOfFile: logPath, encoding: .utf8)) ?? "" }

    /// The exit status, or 128 plus the number of the signal that killed it; nil while it runs.
    package var exitStatus: Int32? {
        lock.withLock {
            if ended != nil { return ended }
            var raw: Int32 = 0
            guard waitpid(shell, &raw, WNOHANG) == shell else { return nil }
            ended = Spawn.status(of: raw)
            return ended
        }
    }
}
