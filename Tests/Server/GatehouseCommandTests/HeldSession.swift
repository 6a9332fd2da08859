import Glibc
import TestSupport

/// A session of psql that has executed SQL and stays open until it is ended.
final class HeldSession: Sendable {
    private let process: pid_t
    private let input: Int32

    /// - Parameter name: the `application_name`, by which other programs recognise Gatehouse.
    init(of database: String, name: String, _ sql: String) throws {
        let (input, output) = (try Spawn.pipe(), try Spawn.pipe())
        process = try Spawn.run(
            [
                "/usr/bin/env", "PGAPPNAME=" + name, TemporaryPostgreSQL.program("psql"), "-X", "-q", "-d", database,
                "-c", sql, "-c", "\\! echo done", "-f", "-",
            ], streams: (input.read, output.write, 2))
        close(input.read)
        close(output.write)
        self.input = input.write
        defer { close(output.read) }
        var (text, piece): (String, [UInt8]) = ("", Array(repeating: 0, count: 4096))
        while !text.contains("done\n") {
            let count = read(output.read, &piece, piece.count)
            guard count > 0 else { throw Spawn.Failure(description: "psql ended: \(text)") }
            text += String(decoding: piece[..<count], as: UTF8.self)
        }
    }

    /// Closes the session. Call it once.
    func end() {
        close(input)
        var raw: Int32 = 0
        waitpid(process, &raw, 0)
    }
}
