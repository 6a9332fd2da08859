import FileSystem
import POSIX
import Processes
import Synchronization

/// Runs `gatehouse apple verify` and `gatehouse dpop verify`. They get tokens in files of one folder, because other users can
/// read the arguments of a process. The files have fixed names, so a runner runs one command at a time.
final class VerifyRunner: Sendable {
    let folder: String
    private let program: Subprocess
    private let turn = Mutex(())

    init(_ settings: ConsoleSettings) throws(POSIXError) {
        folder = settings.data + "/console"
        program = .inheritingEnvironment(settings.gatehouse)
        try File.makeDirectory(folder)
    }

    /// - Parameter arguments: writes the files, and returns the words of the command.
    func run(
        removing files: [String], _ arguments: () throws(POSIXError) -> [String]
    ) throws(POSIXError) -> Subprocess.Outcome {
        try turn.withLock { _ throws(POSIXError) in
            defer { for file in files { try? File.remove(file) } }
            return try program.run(try arguments())
        }
    }
}
