import Foundation
import TestSupport

/// The package that deploy/package builds, once for all tests.
enum DebianPackage {
    static let first = Result { try build(revision: "1") }

    /// The same package with the next revision.
    static let second = Result { try build(revision: "2") }

    /// The program stand-in, which the package does not contain. It is built as the package is, without a
    /// need for Swift's libraries.
    static let standIn = Result {
        try Shell.run([Executable.root + "/deploy/lib/build", "release", "stand-in"])
        return Executable.root + "/.build/release/stand-in"
    }

    private static func build(revision: String) throws -> String {
        let output = try Shell.run([Executable.root + "/deploy/package", "--revision", revision])
        return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines)
    }
}
