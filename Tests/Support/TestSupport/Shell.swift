import Glibc

/// Runs a program and waits for its exit.
package enum Shell {
    package struct Failure: Error, CustomStringConvertible {
        package let status: Int32
        package let description: String
    }

    /// The exit status and the output of a program.
    package struct Outcome: Sendable {
        package let status: Int32
        package let output: [UInt8]
        package let errorOutput: String

        package var text: String { String(decoding: output, as: UTF8.self) }

        package init(status: Int32, output: [UInt8], errorOutput: String) {
            self.status = status
            self.output = output
            self.errorOutput = errorOutput
        }
    }

    /// Returns the standard output. Throws if the exit status is not 0.
    @discardableResult
    package static func run(_ command: [String], input: [UInt8] = []) throws -> [UInt8] {
        let outcome = try outcome(of: command, input: input)
        guard outcome.status == 0 else {
            throw Failure(
                status: outcome.status,
                description: "\(command[0]) ended with \(outcome.status): \(outcome.errorOutput)")
        }
        return outcome.output
    }

    /// - Parameter input: the standard input, written by a thread of its own.
    package static func outcome(
        of command: [String], environment: [String: String]? = nil, input: [UInt8] = []
    ) throws -> Outcome {
        let (stdin, stdout, stderr) = (try Spawn.pipe(), try Spawn.pipe(), try Spawn.pipe())
        let process = try Spawn.run(
            command, environment: environment, streams: (stdin.read, stdout.write, stderr.write))
        for end in [stdin.read, stdout.write, stderr.write] { close(end) }
        let errorOutput = Background { Spawn.readAll(stderr.read) }
        let feeding = Background { () -> [UInt8] in
            var rest = input[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { write(stdin.write, $0.baseAddress, $0.count) }
                guard count > 0 else { break }
                rest = rest.dropFirst(count)
            }
            close(stdin.write)
            return []
        }
        let output = Spawn.readAll(stdout.read)
        var raw: Int32 = 0
        waitpid(process, &raw, 0)
        _ = feeding.result()
        let errors = String(decoding: errorOutput.result(), as: UTF8.self)
        for end in [stdout.read, stderr.read] { close(end) }
        return Outcome(status: Spawn.status(of: raw), output: output, errorOutput: errors)
    }
}
