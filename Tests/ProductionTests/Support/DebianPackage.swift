import Foundation
import TestSupport

/// The package, as deploy/package builds it: once for all the tests.
enum DebianPackage {
    static let first = Result { try build(revision: "1") }

    /// The same again, as the next one.
    static let second = Result { try build(revision: "2") }

    private static func build(revision: String) throws -> String {
        let output = try Shell.run([Executable.root + "/deploy/package", "--revision", revision])
        return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines)
    }
}
