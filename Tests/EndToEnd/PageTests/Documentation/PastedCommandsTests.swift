import Foundation
import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// Pastes the commands of the pages into a shell, in their order, beside `./deploy/run`.
@Suite("Commands of the documentation beside deploy/run", .serialized)
struct PastedCommandsTests {
    /// Each stops at the first command that fails. An interactive zsh has no comments, so these blocks have none.
    private static let bash = ["bash", "--noprofile", "--norc", "-e", "-s"]
    private static let zsh = ["zsh", "-f", "-i", "-e", "-s"]
    /// `deploy/lib/packages` installs zsh, so without it the test fails.
    private static let shells = [bash, zsh]

    private static let pages = DocumentedCommands.table.filter { $0.value.values.contains(.besideRun) }.keys.sorted()

    /// This section rotates Apple's keys. Gatehouse refuses the new key for up to 30 s, so the section is not repeated at
    /// once, and each shell gets a server of its own.
    private static let rotating = (
        page: "Sources/Server/Gatehouse/Gatehouse.docc/DevelopmentServer.md", section: "Develop without Apple"
    )

    /// The blocks that are pasted. A block of another language is saved first if the line above it says where.
    private func pasted(_ page: String, at checkout: DocumentedCheckout) throws -> [DocumentationPage.Block] {
        let blocks = try DocumentationPage(path: page).blocks
        for block in blocks {
            if let file = block.introduction.firstMatch(of: /Save it as `(\.run\/[^`]+)`/)?.output.1 {
                try checkout.write(checkout.adapted(block.text) + "\n", to: String(file))
            }
        }
        return blocks.filter { $0.language == "sh" && DocumentedCommands.of($0) == .besideRun }
    }

    /// The standard output of each block.
    private func outputs(
        of blocks: [String], in shell: [String], at checkout: DocumentedCheckout
    ) throws -> [String] {
        let end = "\n" + DocumentedCheckout.awaitOwnNginx + "\necho @END@\n"
        let script = blocks.map { checkout.adapted($0) + end }.joined()
        // With -x the shell names each command before it runs it, so the last one named is the one that has failed.
        let outcome = try checkout.paste("set -o pipefail\nset -x\n" + script, into: shell)
        let outputs = outcome.text.components(separatedBy: "@END@\n")
        let last = blocks[min(outputs.count, blocks.count) - 1]
        #expect(
            outcome.status == 0 && outputs.count == blocks.count + 1,
            """
            \(shell[0]) ended with \(outcome.status) in
            \(last)
            Output of this block: \(outputs.last ?? "")
            Its commands and errors: \(outcome.errorOutput.suffix(6000))
            """)
        return Array(outputs.dropLast())
    }

    @Test("Every command of a page succeeds, in bash and in zsh, and again when it is repeated", arguments: pages)
    func succeed(page: String) throws {
        let isRotating = page == Self.rotating.page
        for shell in Self.shells {
            let checkout = try isRotating ? DocumentedCheckout() : DocumentedCheckout.shared.get()
            let once = try pasted(page, at: checkout)
            #expect(!once.isEmpty)
            let blocks = once + once.filter { !isRotating || $0.section != Self.rotating.section }
            for (block, output) in zip(blocks, try outputs(of: blocks.map(\.text), in: shell, at: checkout)) {
                // A member of every problem document.
                #expect(!output.contains("\"requestId\":"), "\(block.place): \(output)")
            }
        }
    }

    @Test("A refresh that is pasted twice does not end the session, and an error replaces no tokens")
    func refreshedTwice() throws {
        let blocks = try DocumentationPage(path: "README.md").blocks(of: "A login by curl")
        let steps = try #require(blocks.last).split(separator: "\n").map(String.init)
        let (functions, login, user, refresh) = (steps[0], steps[1], steps[2], steps[3])
        #expect(refresh.contains("auth/refresh"))
        let refused = refresh.replacing("auth/refresh", with: "auth/refreshed") + " || echo kept"
        let script = [functions, login, refresh, refresh, refused, refresh, user].joined(separator: "\n")
        let output = try outputs(of: [script], in: Self.bash, at: try DocumentedCheckout.shared.get()).joined()
        #expect(output.contains("\"not_found\"") && output.contains("kept\n"))
        #expect(output.matches(of: /"refreshToken":/).count == 4)
        #expect(output.split(separator: "\n").last?.contains("\"status\":\"ACTIVE\"") == true, "\(output)")
    }

    @Test(
        "An answer has the members of its example",
        arguments: [("API.md", 8), ("OtherClients.md", 1), ("Services.md", 2)])
    func examples(name: String, least: Int) throws {
        let page = "Sources/Server/Gatehouse/Gatehouse.docc/" + name
        let checkout = try DocumentedCheckout.shared.get()
        let (blocks, all) = (try pasted(page, at: checkout), try DocumentationPage(path: page).blocks)
        var compared = 0
        for (block, output) in zip(blocks, try outputs(of: blocks.map(\.text), in: Self.bash, at: checkout)) {
            // The example follows the command.
            guard let example = all.drop(while: { $0.line <= block.line }).first, example.language == "json",
                example.section == block.section
            else { continue }
            let line = try #require(output.split(separator: "\n").last { $0.hasPrefix("{") }, "\(block.place)")
            let documented = DocumentedExample(try JSONValue(parsing: Array(example.text.utf8)))
            #expect(try documented.differences(from: JSONValue(parsing: Array(line.utf8))) == [], "\(example.place)")
            compared += 1
        }
        #expect(compared >= least)
    }
}
