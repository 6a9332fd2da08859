import CLinux
package import Glibc

/// Starts programs with the default signal mask. The threads of tests have signals blocked, and programs that are
/// started through Foundation inherit that: a shell, for instance, then gets no SIGCHLD.
package enum Spawn {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) {
            self.description = description
        }
    }

    /// - Parameters:
    ///   - streams: standard input, output and error. All other descriptors must be close-on-exec.
    ///   - passed: the descriptors from 3 on.
    package static func run(
        _ command: [String], environment: [String: String]? = nil, streams: (Int32, Int32, Int32),
        passing passed: [Int32] = []
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, streams.0, 0)
        posix_spawn_file_actions_adddup2(&actions, streams.1, 1)
        posix_spawn_file_actions_adddup2(&actions, streams.2, 2)
        // Copied to high numbers first, so that none is overwritten.
        let copies = passed.map { fcntl($0, F_DUPFD_CLOEXEC, 3000) }
        defer { for copy in copies { close(copy) } }
        for (index, copy) in copies.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, copy, Int32(3 + index))
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        // The configuration of this machine must not affect tests.
        let pairs = environment?.merging(["GATEHOUSE_CONFIG": ""]) { own, _ in own }.map { "\($0)=\($1)" }
        var process = pid_t()
        let result = withCStrings(command) { arguments in
            guard let pairs else {
                return posix_spawnp(&process, arguments[0]!, &actions, &attributes, arguments, environ)
            }
            return withCStrings(pairs) { posix_spawnp(&process, arguments[0]!, &actions, &attributes, arguments, $0) }
        }
        guard result == 0 else { throw Failure(description: "\(command[0]): error \(result)") }
        return process
    }

    /// A pipe that is closed on exec from the beginning: a server that another test starts at this moment would keep the
    /// writing end open, and a program that reads to the end of its input would wait for that server.
    package static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe2(&ends, O_CLOEXEC) == 0 else { throw Failure(description: "pipe2: error \(errno)") }
        return (ends[0], ends[1])
    }

    /// Reads until the other side closes.
    package static func readAll(_ descriptor: Int32) -> [UInt8] {
        var (all, chunk): ([UInt8], [UInt8]) = ([], Array(repeating: 0, count: 65_536))
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return all }
            all += chunk[..<count]
        }
    }

    /// The exit status, or 128 plus the number of the signal.
    package static func status(of raw: Int32) -> Int32 {
        raw & 0x7F == 0 ? (raw >> 8) & 0xFF : 128 + (raw & 0x7F)
    }

    private static func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return body(&pointers)
    }
}
