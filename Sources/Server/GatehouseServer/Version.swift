import POSIX

/// The version of the program.
package enum Version {
    /// The version of these sources.
    private static let source = "0.1.0"

    /// The version of the Debian package, such as `0.2.0-1`, or of the sources in a developer's build.
    package static let current = BuiltVersion.text ?? source
}
