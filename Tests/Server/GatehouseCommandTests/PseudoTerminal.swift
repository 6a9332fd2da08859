import Glibc
import TestSupport

/// A pseudo-terminal with scripted input.
final class PseudoTerminal {
    private let person: Int32
    /// The side of the terminal that a program has as a standard stream.
    let program: Int32
    private var shown: [UInt8] = []

    init() throws {
        person = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // TIOCGPTN and TIOCSPTLCK of ioctl_tty(2): its number, and the unlock.
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

    /// Everything that the terminal has shown, as soon as the condition holds or after 20 seconds.
    func text(until condition: (String) -> Bool) -> String {
        var text = ""
        _ = Eventually.holds {
            var entry = pollfd(fd: person, events: Int16(POLLIN), revents: 0)
            if poll(&entry, 1, 0) == 1 {
                var piece = [UInt8](repeating: 0, count: 4096)
                let count = read(person, &piece, piece.count)
                shown += piece.prefix(max(0, count))
            }
            text = String(decoding: shown, as: UTF8.self)
            return condition(text)
        }
        return text
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
        let errorOutput = Background { Spawn.readAll(errors.read) }
        let text = Spawn.readAll(output.read)
        var raw: Int32 = 0
        waitpid(process, &raw, 0)
        let said = String(decoding: errorOutput.result(), as: UTF8.self)
        for end in [output.read, errors.read] { close(end) }
        return Shell.Outcome(status: Spawn.status(of: raw), output: text, errorOutput: said)
    }
}
