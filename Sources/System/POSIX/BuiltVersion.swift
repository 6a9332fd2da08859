import CVersion

/// The version that was passed to the build.
package enum BuiltVersion {
    /// Nil in a developer's build.
    package static var text: String? {
        let text = unsafe String(cString: gatehouse_version())
        return text.isEmpty ? nil : text
    }
}
