import POSIX

/// Which Gatehouse this is.
package enum Version {
    /// The version of these sources.
    private static let source = "0.1.0"

    /// The version of the package that this program is part of, such as `0.2.0-1`; that of the sources in a developer's build.
    package static let current = BuiltVersion.text ?? source
}
