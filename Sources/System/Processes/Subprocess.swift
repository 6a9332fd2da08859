internal import CLinux
import Glibc
package import POSIX

/// Runs another program without input, in a minimal environment, with limits on time and output.
package struct Subprocess: Sendable {
    package struct Outcome: Sendable, Equatable {
        /// The exit status; nil if a signal ended the program.
        package let status: Int32?
        package var output = ""
        package var errorOutput = ""
    }

    private let program: String
    private let environment: [String]
    private let timeout: Duration
    private let outputLimit: Int
}

extension Subprocess {
    /// The first of the paths that is executable; nil if there is none. PATH is not searched,
    /// since root may be the caller.
    package init?(_ places: [String], timeout: Duration = .seconds(10), outputLimit: Int = 4 << 20) {
        guard let program = places.first(where: { unsafe access($0, X_OK) == 0 }) else { return nil }
        self.init(
            program: program, environment: Self.minimalEnvironment, timeout: timeout, outputLimit: outputLimit)
    }

    /// This program again, also if its file has been renamed, with the environment of this process.
    package static func ofThisProgram(timeout: Duration) -> Subprocess {
        inheritingEnvironment("/proc/self/exe", timeout: timeout)
    }

    /// A program with the environment of this process.
    package static func inheritingEnvironment(_ program: String, timeout: Duration = .seconds(10)) -> Subprocess {
        Subprocess(
            program: program, environment: ProcessEnvironment.variables().map { "\($0.key)=\($0.value)" },
            timeout: timeout, outputLimit: 4 << 20)
    }

    private static let minimalEnvironment = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", "SYSTEMD_PAGER="]

    /// Throws if the program cannot be started, or exceeds a limit; it is killed then.
    package func run(_ arguments: [String]) throws(POSIXError) -> Outcome {
        let deadline = MonotonicTime.now + timeout
        let output = try OutputPipe()
        let errorOutput = try OutputPipe()
        let process = try spawn(arguments, output: output.writer, errorOutput: errorOutput.writer)
        let out = output.closingWriter()
        let err = errorOutput.closingWriter()
        var texts: ([UInt8], [UInt8]) = ([], [])
        do throws(POSIXError) {
            var isOpen = (true, true)
            while isOpen.0 || isOpen.1 {
                guard Self.wait(isOpen.0 ? out.number : -1, isOpen.1 ? err.number : -1, until: deadline) else {
                    throw POSIXError("run \(program)", code: ETIMEDOUT)
                }
                if isOpen.0 { isOpen.0 = try take(from: out, into: &texts.0) }
                if isOpen.1 { isOpen.1 = try take(from: err, into: &texts.1) }
            }
            let status = try end(of: process, by: deadline)
            return Outcome(
                status: status & 0x7F == 0 ? (status >> 8) & 0xFF : nil,
                output: String(decoding: texts.0, as: UTF8.self), errorOutput: String(decoding: texts.1, as: UTF8.self))
        } catch {
            kill(process, SIGKILL)
            var status: Int32 = 0
            while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
            throw error
        }
    }

    /// False at the end of a stream.
    private func take(from stream: borrowing FileDescriptor, into text: inout [UInt8]) throws(POSIXError) -> Bool {
        guard stream.waitUntilReadable(milliseconds: 0) else { return true }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe read(stream.number, &chunk, chunk.count)
        if count < 0, errno == EINTR { return true }
        guard count >= 0 else { throw POSIXError("read from \(program)") }
        text += chunk[..<count]
        guard text.count <= outputLimit else { throw POSIXError("read from \(program)", code: EFBIG) }
        return count > 0
    }

    private static func wait(_ one: Int32, _ other: Int32, until deadline: MonotonicTime) -> Bool {
        var entries = [one, other].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while true {
            let count = unsafe poll(&entries, 2, deadline.millisecondsLeft)
            if count >= 0 || errno != EINTR { return count > 0 }
        }
    }

    /// Polls for the exit: the program may close its output long before it ends.
    private func end(of process: pid_t, by deadline: MonotonicTime) throws(POSIXError) -> Int32 {
        while true {
            var status: Int32 = 0
            let ended = unsafe waitpid(process, &status, WNOHANG)
            if ended == process { return status }
            guard ended == 0 || errno == EINTR else { throw POSIXError("waitpid") }
            guard deadline.millisecondsLeft > 0 else { throw POSIXError("run \(program)", code: ETIMEDOUT) }
            Thread.pause(for: .milliseconds(5))
        }
    }
}

/// A pipe from the program to this process.
private struct OutputPipe: ~Copyable {
    private let reader: FileDescriptor
    let writer: FileDescriptor

    init() throws(POSIXError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe2(&ends, O_CLOEXEC) == 0 else { throw POSIXError("pipe2") }
        reader = FileDescriptor(takingOwnership: ends[0])
        writer = FileDescriptor(takingOwnership: ends[1])
    }

    /// Closes the writing end of this process: otherwise the end of the output would never be read.
    consuming func closingWriter() -> FileDescriptor { reader }
}

extension Subprocess {
    private func spawn(
        _ arguments: [String], output: borrowing FileDescriptor, errorOutput: borrowing FileDescriptor
    ) throws(POSIXError) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output.number, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, errorOutput.number, 2)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // Signals that this process ignores or blocks are not ignored or blocked in the program.
        var (none, all) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&none)
        unsafe sigfillset(&all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var process = pid_t()
        let result = unsafe Self.withCStrings([program] + arguments) { words in
            unsafe Self.withCStrings(environment) { variables in
                unsafe posix_spawn(&process, program, &actions, &attributes, words, variables)
            }
        }
        guard result == 0 else { throw POSIXError("run \(program)", code: result) }
        return process
    }

    private static func withCStrings<Result>(
        _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe texts.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
        return unsafe body(&pointers)
    }
}
