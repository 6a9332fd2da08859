import Foundation
import TestSupport
import Testing

@Suite("The Debian package", .enabled(if: Production.canBoot, Production.reason))
struct PackageTests {
    @Test("has nothing that lintian calls an error")
    func lintian() throws {
        let outcome = try Shell.outcome(
            of: ["lintian", "--allow-root", "--fail-on", "error", try DebianPackage.first.get()])
        #expect(outcome.status == 0, "\(outcome.text)\(outcome.complaint)")
    }

    @Test("depends on what Debian has, and on no Swift")
    func dependencies() throws {
        let package = try DebianPackage.first.get()
        let depends = String(decoding: try Shell.run(["dpkg-deb", "--field", package, "Depends"]), as: UTF8.self)
        for library in ["libc6", "libcurl4", "libsqlite3-0", "libssl3"] {
            #expect(depends.contains(library))
        }
        #expect(!depends.lowercased().contains("swift"))
    }
}
