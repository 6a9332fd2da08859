import Foundation

/// Where things are found.
enum Executable {
    /// The checkout.
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .path

    /// The program under test, which is built beside the tests.
    static let gatehouse: String = {
        let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        return tests.deletingLastPathComponent().appendingPathComponent("gatehouse").path
    }()
}
