import Glibc
import TestSupport

/// A terminal with a person in front of it, as far as a program can tell.
final class PseudoTerminal {
    private let person: Int32
    private let program: Int32

    init() throws {
        person = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // TIOCGPTN and TIOCSPTLCK of ioctl_tty(2): which number it has, and that it may be opened.
        var (number, isLocked): (Int32, Int32) = (0, 0)
        guard ioctl(person, 0x8004_5430, &number) == 0, ioctl(person, 0x4004_5431, &isLocked) == 0 else {
            throw Spawn.Failure(description: "there is no terminal: error \(errno)")
        }
        program = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    }

    deinit {
        close(person)
        close(program)
    }

    /// Runs a command of ours to its end, with the terminal as its standard input.
    func run(_ words: [String], _ environment: [String: String], answering answer: String) throws -> Shell.Outcome {
        let (output, errors) = (try Spawn.pipe(), try Spawn.pipe())
        let process = try Spawn.run(
            ["/usr/bin/timeout", "--foreground", "20", Executable.gatehouse] + words, environment: environment,
            streams: (program, output.write, errors.write))
        for end in [output.write, errors.write] { close(end) }
        let typed = Array((answer + "\n").utf8)
        guard write(person, typed, typed.count) == typed.count else { throw Spawn.Failure(description: "not typed") }
        let complaint = Background { Spawn.readAll(errors.read) }
        let text = Spawn.readAll(output.read)
        var raw: Int32 = 0
        waitpid(process, &raw, 0)
        let said = String(decoding: complaint.result(), as: UTF8.self)
        for end in [output.read, errors.read] { close(end) }
        return Shell.Outcome(status: Spawn.status(of: raw), output: text, complaint: said)
    }
}
