import Foundation

/// Where things are found.
package enum Executable {
    /// The checkout.
    package static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    /// The program under test, which is built beside the tests.
    package static let gatehouse: String = {
        let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        return tests.deletingLastPathComponent().appendingPathComponent("gatehouse").path
    }()
}
