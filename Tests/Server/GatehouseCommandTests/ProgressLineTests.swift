import Foundation
import TestSupport
import Testing

@Suite("Progress of a command")
struct ProgressLineTests {
    /// `gatehouse restore -` that reads its backup from a pipe.
    private final class PipedRestore {
        private let input: Int32
        private let output: Int32
        private let process: pid_t

        init(of fixture: BackupFixture, errors: Int32) throws {
            let (input, output) = (try Spawn.pipe(), try Spawn.pipe())
            process = try Spawn.run(
                ["/usr/bin/timeout", "--foreground", "60", Executable.gatehouse, "restore", "-"],
                environment: fixture.environment, streams: (input.read, output.write, errors))
            close(input.read)
            close(output.write)
            (self.input, self.output) = (input.write, output.read)
        }

        func send(_ bytes: Data) throws {
            try FileHandle(fileDescriptor: input, closeOnDealloc: false).write(contentsOf: bytes)
        }

        /// Its status and its standard output.
        func finish() -> (status: Int32, text: String) {
            close(input)
            let text = String(decoding: Spawn.readAll(output), as: UTF8.self)
            close(output)
            var raw: Int32 = 0
            waitpid(process, &raw, 0)
            return (Spawn.status(of: raw), text)
        }
    }

    /// The restore without a terminal starts first, so it also takes long enough for a line.
    @Test("A command that takes longer than two seconds shows its progress on standard error if that is a terminal")
    func restore() throws {
        let fixture = try BackupFixture()
        let other = try BackupFixture()
        let backup = try Data(contentsOf: URL(fileURLWithPath: fixture.backUp()))
        let terminal = try PseudoTerminal()
        let errors = try Spawn.pipe()
        let piped = try PipedRestore(of: other, errors: errors.write)
        let shown = try PipedRestore(of: fixture, errors: terminal.program)
        close(errors.write)
        for restore in [piped, shown] { try restore.send(backup.prefix(4096)) }
        let line = terminal.text(until: { $0.contains("copying the backup: 0 MiB (") })
        #expect(line.hasPrefix("\r\u{1B}[Kcopying the backup: 0 MiB ("), "\(line)")
        for restore in [piped, shown] { try restore.send(backup.dropFirst(4096)) }
        let (quiet, loud) = (piped.finish(), shown.finish())
        #expect(quiet.status == 0 && loud.status == 0)
        #expect(quiet.text.contains(other.database) && loud.text.contains(fixture.database))
        #expect(Spawn.readAll(errors.read).isEmpty)
        close(errors.read)
        // The line is erased at the end.
        let rest = terminal.text(until: { $0.hasSuffix("\r\u{1B}[K") })
        #expect(rest.hasSuffix("\r\u{1B}[K"), "\(rest)")
    }
}
