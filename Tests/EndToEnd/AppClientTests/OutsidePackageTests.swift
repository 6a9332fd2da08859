import Foundation
import TestSupport
import Testing

@testable import ServerSupport

/// What a developer gets who adds the library to an app: neither the server's libraries nor its settings.
@Suite("GatehouseClient in a package outside of the checkout", .serialized, .needs(.time))
struct OutsidePackageTests {
    private func expectClean(_ outcome: Shell.Outcome) {
        let output = outcome.text + outcome.errorOutput
        #expect(outcome.status == 0, "\(output)")
        #expect(!output.contains("warning:") && !output.contains("error:"), "\(output)")
    }

    private func expectWorks(_ package: OutsidePackage) throws {
        let outcome = try package.run()
        #expect(outcome.status == 0, "\(outcome.errorOutput)")
        #expect(outcome.text.hasPrefix("signed out\noffline: The device is offline"), "\(outcome.text)")
        let libraries = try package.libraries()
        #expect(libraries.contains("libFoundationNetworking.so"))
        for name in ["fcgi", "sqlite3", "ssl", "crypto", "curl", "pq"] {
            #expect(!libraries.contains { $0.hasPrefix("lib\(name).so") }, "\(libraries)")
        }
    }

    @Test("By path, without the server's headers and without a warning; it links none of the server's libraries")
    func path() throws {
        let package = try OutsidePackage(.path, tools: "6.0")
        let isHidden = HiddenHeaders.obstacle == nil
        expectClean(try package.build(in: isHidden ? HiddenHeaders.wrapper : []))
        try expectWorks(package)
    }

    @Test(
        "By commit and by branch, in an app of Swift 5, without a warning", .needs(.time),
        arguments: [
            OutsidePackage.Requirement.revision, .branch,
        ])
    func repository(_ requirement: OutsidePackage.Requirement) throws {
        let package = try OutsidePackage(requirement, tools: "5.9")
        expectClean(try package.build())
        try expectWorks(package)
        let resolved = try package.resolved()
        #expect(resolved.contains(#""revision" : "\#(package.revision)""#), "\(resolved)")
        #expect(resolved.contains(#""branch" : "main""#) == (requirement == .branch), "\(resolved)")
        #expect(resolved.matches(of: /"identity"/).count == 1, "\(resolved)")
    }

    @Test(
        "The server's headers can be hidden, and then the server does not build",
        .enabled(if: HiddenHeaders.obstacle == nil, "\(HiddenHeaders.obstacle ?? "")"))
    func serverNeedsHeaders() throws {
        let module = Executable.root + "/Sources/System/CSQLite/shim.h"
        let command = ["clang", "-fsyntax-only", "-x", "c-header", module]
        #expect(try Shell.outcome(of: command).status == 0)
        #expect(try Shell.outcome(of: HiddenHeaders.wrapper + command).status == 1)
    }
}
