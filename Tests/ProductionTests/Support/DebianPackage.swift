import Foundation
import TestSupport

/// The package that deploy/package builds, once for all tests.
enum DebianPackage {
    static let first = Result { try build(revision: "1") }

    /// The same package with the next revision.
    static let second = Result { try build(revision: "2") }

    /// What upgrades begin with, and what they end with: with `GATEHOUSE_RELEASE` the earlier packages of that release, and its own.
    static let upgrades = Result { () throws -> (from: [String], to: String) in
        guard let release = ReleasedCheckout.given else { return try ([first.get()], second.get()) }
        let list = try Shell.run(["sh", "-c", "ls -v \"$0\"/gatehouse_*_$(dpkg --print-architecture).deb", release])
        var packages = String(decoding: list, as: UTF8.self).split(separator: "\n").map(String.init)
        let own = packages.removeLast()
        return (packages, own)
    }

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
