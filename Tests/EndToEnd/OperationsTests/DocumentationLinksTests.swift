import Foundation
import TestSupport
import Testing

@testable import ServerSupport

/// deploy/lib/links, on pages of a test's own.
@Suite("Links between pages of the documentation")
struct DocumentationLinksTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: folder.file("Pages.docc/Decisions"), withIntermediateDirectories: true)
        try write("# Keys\n\n## Rotating keys\n\n[Up](../Index.md)\n", to: "Pages.docc/Decisions/Keys.md")
    }

    private func write(_ text: String, to name: String) throws {
        try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
    }

    private func links(_ arguments: String...) throws -> Shell.Outcome {
        try Shell.outcome(of: [Executable.root + "/deploy/lib/links"] + arguments)
    }

    @Test(
        "a link is accepted if its file and heading exist",
        arguments: [
            "[Keys](Decisions/Keys.md)", "[`keys`](Decisions/Keys.md#rotating-keys)", "[here](#index)",
            "[folder](Decisions)", "[web](https://example.com/#nothing)", "`[code](nothing)`",
            "```sh\n[code](nothing)\n```", "<doc:Keys>",
        ])
    func accepted(link: String) throws {
        try write("# Index\n\n\(link)\n", to: "Pages.docc/Index.md")
        let outcome = try links("check", folder.file("Pages.docc/Index.md"))
        #expect(outcome.status == 0 && outcome.text == "", "\(outcome.text)\(outcome.errorOutput)")
    }

    @Test(
        "a link to a missing file or heading is an error",
        arguments: [
            ("[Keys](Keys.md)", "there is no such file"),
            ("[Keys](Decisions/Keys.md#keys-rotating)", "the page has no such heading"),
            ("[two\nlines](#nothing)", "the page has no such heading"),
        ])
    func refused(link: String, fault: String) throws {
        try write("# Index\n\n\(link)\n", to: "Pages.docc/Index.md")
        let outcome = try links("check", folder.file("Pages.docc/Index.md"))
        #expect(outcome.status == 1 && outcome.text.contains(fault), "\(outcome.text)\(outcome.errorOutput)")
    }

    @Test("DocC gets its own form of links, and lists of topics with nothing else in them")
    func converted() throws {
        let page = """
            # Index

            [Keys](Decisions/Keys.md#rotating-keys), [outside](../README.md), [web](https://example.com/)

            ## Topics

            - [Keys](Decisions/Keys.md): how keys
              are rotated

            """
        try write(page, to: "Pages.docc/Index.md")
        let outcome = try links("docc", folder.file("Pages.docc"), folder.file("Copy.docc"))
        #expect(outcome.status == 0, "\(outcome.errorOutput)")
        let copy = try String(contentsOfFile: folder.file("Copy.docc/Index.md"), encoding: .utf8)
        #expect(copy.contains("[Keys](<doc:Keys#Rotating-keys>), outside, [web](https://example.com/)\n"))
        #expect(copy.hasSuffix("- <doc:Keys>\n"))
        let other = try String(contentsOfFile: folder.file("Copy.docc/Decisions/Keys.md"), encoding: .utf8)
        #expect(other.contains("[Up](<doc:Index>)"))
    }
}
