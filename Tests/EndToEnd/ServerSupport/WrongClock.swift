import Foundation
import TestSupport

/// The clock of a server process, which a test can set while the server runs.
struct WrongClock: Sendable {
    private static let library = Result {
        let folder = try TemporaryFolder()
        let source = Executable.root + "/Tests/EndToEnd/Scripts/clock.c"
        try Shell.run(["/usr/bin/env", "clang", "-shared", "-fPIC", "-o", folder.file("clock.so"), source])
        return folder
    }

    private let folder: TemporaryFolder
    private let preloaded: String

    init() throws {
        folder = try TemporaryFolder()
        preloaded = try Self.library.get().file("clock.so")
        try set(aheadBy: 0)
    }

    /// What the environment of the server needs.
    func apply(to variables: inout [String: String]) {
        variables["LD_PRELOAD"] = preloaded
        variables["CLOCK_ERROR"] = folder.file("error")
    }

    /// - Parameter error: in seconds.
    func set(aheadBy error: Int64) throws {
        try Data("\(error)\n".utf8).write(to: URL(fileURLWithPath: folder.file("error")), options: .atomic)
    }
}
