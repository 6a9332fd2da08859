import Foundation

/// The paths of the checkout and of the programs under test.
package enum Executable {
    /// The root folder of the checkout.
    package static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    package static let gatehouse = builtBesideTests("gatehouse")

    package static let fakeApple = builtBesideTests("fake-apple")

    package static let example = builtBesideTests("gatehouse-example")

    package static let console = builtBesideTests("gatehouse-console")

    private static func builtBesideTests(_ name: String) -> String {
        let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        return tests.deletingLastPathComponent().appendingPathComponent(name).path
    }
}
