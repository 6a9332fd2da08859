import POSIX

/// The version of the program.
package enum Version {
    /// The version of these sources. Between two releases, the sources have the version of the next release with the suffix `~dev`:
    /// dpkg sorts `0.2.0~dev` before `0.2.0`.
    private static let source = "0.2.0~dev"

    /// The version of the Debian package, such as `0.2.0-1`, or of the sources in a developer's build.
    package static let current = BuiltVersion.text ?? source
}
