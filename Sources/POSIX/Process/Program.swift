import Glibc

/// Runs a program to its end, for what this process must not do itself.
package enum Program {
    /// This program, whatever its file is called now.
    package static let this = "/proc/self/exe"

    /// The exit status, and all that it wrote to standard output. It has this process's environment, and its standard
    /// error.
    ///
    /// - Parameter words: the first is what the program takes for its own name.
    package static func run(_ path: String, _ words: [String]) throws(POSIXError) -> (status: Int32, output: [UInt8]) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw POSIXError("pipe") }
        let reader = FileDescriptor(takingOwnership: ends[0])
        let writer = FileDescriptor(takingOwnership: ends[1])
        try reader.setCloseOnExec()
        try writer.setCloseOnExec()
        let process = try start(path, words, output: writer)
        var output: [UInt8] = []
        var fault: POSIXError?
        do throws(POSIXError) {
            try File.copyAll(from: reader) { bytes throws(POSIXError) in output += bytes }
        } catch { fault = error }
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { throw POSIXError("waitpid") }
        }
        if let fault { throw fault }
        return (status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F), output)
    }

    private static func start(
        _ path: String, _ words: [String], output: consuming FileDescriptor
    ) throws(POSIXError) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, output.number, 1)
        var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
        var process = pid_t()
        let result = unsafe posix_spawn(&process, path, &actions, nil, &arguments, environ)
        guard result == 0 else { throw POSIXError("start \(path)", code: result) }
        return process
    }
}
