import Foundation

/// A copy of the checkout's scripts that has the programs under test as its build.
package enum RunnableCheckout {
    /// The `PATH` of the scripts, beside the checkout's `bin`, which has a compiler that does nothing.
    package static let path = "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin:/bin"

    package static func make(at path: String) throws {
        let files = FileManager.default
        for name in [".build/debug", "bin"] {
            try files.createDirectory(atPath: path + "/" + name, withIntermediateDirectories: true)
        }
        for name in ["deploy", "nginx"] {
            try Shell.run(["cp", "-r", Executable.root + "/" + name, path + "/" + name])
        }
        for (name, program) in [("gatehouse", Executable.gatehouse), ("stand-in", Executable.standIn)] {
            try files.createSymbolicLink(atPath: path + "/.build/debug/" + name, withDestinationPath: program)
        }
        try files.createSymbolicLink(atPath: path + "/bin/swift", withDestinationPath: "/bin/true")
    }
}
