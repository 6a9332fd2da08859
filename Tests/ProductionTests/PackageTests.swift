import Foundation
import TestSupport
import Testing

@Suite("The Debian package", .needs(.bootedDebian), .enabled(if: Production.canBoot, Production.reason))
struct PackageTests {
    @Test("lintian reports no error and no warning")
    func lintian() throws {
        let outcome = try Shell.outcome(
            of: ["lintian", "--allow-root", "--fail-on", "error,warning", try DebianPackage.first.get()])
        #expect(outcome.status == 0, "\(outcome.text)\(outcome.errorOutput)")
    }

    @Test("An invalid Debian version is refused", arguments: ["v1", "1.0-2", "1 0", "1_0"])
    func badVersion(_ version: String) throws {
        for option in ["--version", "--revision"] {
            let outcome = try Shell.outcome(of: [Executable.root + "/deploy/package", option, version])
            #expect(outcome.status == 2 && outcome.text.isEmpty)
            #expect(outcome.errorOutput.contains("\(option) must begin with a digit"), "\(outcome.errorOutput)")
        }
    }

    @Test("The text of LICENSE becomes the license in the package's copyright")
    func license() throws {
        let folder = try TemporaryFolder()
        let script = """
            mkdir -p "$1/deploy" && cp -r "$0/deploy/debian" "$1/deploy/"
            "$0/deploy/lib/copyright" "$1"
            printf 'You may.\\n\\nNo warranty.\\n' >"$1/LICENSE"
            "$0/deploy/lib/copyright" "$1"
            """
        let output = try Shell.run(["sh", "-euc", script, Executable.root, folder.path])
        let parts = String(decoding: output, as: UTF8.self).components(separatedBy: "License: Gatehouse\n")
        #expect(parts.count == 3 && parts[1].hasPrefix(" All rights reserved.\n"))
        #expect(parts.last?.hasPrefix(" You may.\n .\n No warranty.\n\nFiles: usr/bin/gatehouse\n") == true)
    }

    @Test("The package depends on Debian's libraries and not on Swift")
    func dependencies() throws {
        let package = try DebianPackage.first.get()
        let depends = String(decoding: try Shell.run(["dpkg-deb", "--field", package, "Depends"]), as: UTF8.self)
        for library in ["libc6", "libcurl4", "libpq5", "libsqlite3-0", "libssl3"] {
            #expect(depends.contains(library))
        }
        #expect(depends.contains("libfcgi0ldbl (>= 2.4.2-2+deb12u1)"), "\(depends)")
        #expect(!depends.lowercased().contains("swift"))
    }
}
