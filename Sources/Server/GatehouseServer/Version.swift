import POSIX

/// The version of the program.
package enum Version {
    /// The version of these sources. Between releases that of the next one with `~dev`, which Debian sorts before it.
    private static let source = "0.2.0~dev"

    /// The version of the Debian package, such as `0.2.0-1`, or of the sources in a developer's build.
    package static let current = BuiltVersion.text ?? source
}
