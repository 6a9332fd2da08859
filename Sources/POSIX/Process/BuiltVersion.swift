import CVersion

/// The version that the program was built for.
package enum BuiltVersion {
    /// Nil where none was given to the build.
    package static var text: String? {
        let text = unsafe String(cString: gatehouse_version())
        return text.isEmpty ? nil : text
    }
}
