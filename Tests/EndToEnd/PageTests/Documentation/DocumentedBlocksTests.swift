import Foundation
import JOSE
import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// Every block of code in the documentation is checked by a test, or there is a reason why not.
@Suite("Blocks of code in the documentation")
struct DocumentedBlocksTests {
    private static let languages: Set = [
        "sh", "json", "swift", "nginx", "python", "js", "html", "kotlin", "ini", "jq", "mermaid", "",
    ]

    private let blocks: [DocumentationPage.Block]

    init() throws { blocks = try DocumentationPage.all.flatMap { try $0.blocks } }

    @Test("Every section with commands says which test runs them")
    func commandsHaveTests() throws {
        let commands = blocks.filter { $0.language == "sh" }
        #expect(commands.count > 40)
        for block in commands {
            #expect(DocumentedCommands.of(block) != nil, "\(block.place): DocumentedCommands has no \(block.section)")
        }
        for (page, sections) in DocumentedCommands.table {
            for (section, place) in sections {
                if case .onServer(let test) = place {
                    let source = Executable.root + "/Tests/ProductionTests/\(test).swift"
                    #expect(
                        try String(contentsOfFile: source, encoding: .utf8).contains("\"\(section)\""),
                        "\(test) does not run \(section) of \(page)")
                }
                let isThere = commands.contains { $0.page == page && $0.section == section }
                #expect(isThere, "\(page) has no commands in a section \(section)")
            }
        }
        for block in blocks { #expect(Self.languages.contains(block.language), "\(block.place): \(block.language)") }
    }

    /// An indented block has no language, so that no test would run it.
    @Test("Code is not indented but fenced", arguments: try DocumentationPage.all.map(\.path))
    func fenced(page: String) throws {
        guard page.hasSuffix(".md") else { return }
        let lines = try DocumentationPage(path: page).lines
        var isInBlock = false
        for (number, line) in lines.enumerated() {
            if line.trimmingCharacters(in: .whitespaces).hasPrefix("```") { isInBlock.toggle() }
            let isIndented = line.hasPrefix("    ") && number > 0 && lines[number - 1].isEmpty
            #expect(isInBlock || !isIndented, "\(page):\(number + 1)")
        }
    }

    @Test("Examples in JSON are JSON")
    func json() throws {
        let examples = blocks.filter { $0.language == "json" }
        #expect(examples.count > 8)
        for block in examples {
            #expect(throws: Never.self, "\(block.place)") { try JSONValue(parsing: Array(block.text.utf8)) }
        }
    }

    @Test("nginx accepts the locations, beside the API")
    func nginx() throws {
        let examples = blocks.filter { $0.language == "nginx" && $0.text.hasPrefix("location ") }
        #expect(examples.count > 2)
        let folder = try TemporaryFolder()
        let lib = Executable.root + "/deploy/lib/"
        try Shell.run([
            lib + "render-nginx", folder.path, Executable.root + "/nginx/local.values", "RESPONDER=unix:/nothing",
        ])
        try Shell.run([lib + "certificate", folder.path])
        try FileManager.default.createDirectory(
            atPath: folder.file("gatehouse.d"), withIntermediateDirectories: true)
        for block in examples {
            // nginx looks up names while it reads the configuration.
            let text = block.text.replacing("https://api.example.com", with: "https://127.0.0.1")
            try text.write(toFile: folder.file("gatehouse.d/example.conf"), atomically: true, encoding: .utf8)
            let outcome = try Shell.outcome(of: ["nginx", "-t", "-p", folder.path, "-c", "nginx.conf", "-e", "stderr"])
            #expect(outcome.status == 0, "\(block.place): \(outcome.errorOutput)")
        }
    }
}

/// The table of claims in AccessTokens.md.
@Suite("Claims in the documentation")
struct DocumentedClaimsTests {
    /// The names in the first column of the tables.
    private func documentedNames() throws -> Set<String> {
        let lines = try DocumentationPage(path: "Sources/Server/Gatehouse/Gatehouse.docc/AccessTokens.md").lines
        let cells = lines.filter { $0.hasPrefix("| `") }.compactMap { $0.split(separator: "|").first }
        return Set(cells.flatMap { $0.matches(of: /`([a-z_]+)`/).map { String($0.output.1) } })
    }

    @Test("Each member of an access token's header and claims is documented, and no other")
    func complete() throws {
        let login = try SharedServers.publishingKeys(.handler).devLogin("claims@example.com")
        let token = try CompactJWS(login.accessToken)
        let names = try documentedNames()
        let bound = try CompactJWS(BoundClient(at: InProcessServer(), "claims@example.com").tokens.accessToken)
        let withoutPhone = try CodeFixture { $0["PHONE_BINDING"] = "required" }.server.devLogin("claims@example.com")
        let codes = try CodeFixture()
        let byCode = try CompactJWS(codes.logIn(phone: codes.newNumber()).accessToken)
        let guest = try InProcessServer { $0["GUESTS"] = "open" }.send(.post("/api/auth/guest", [:]))
        let others = try [withoutPhone.accessToken, guest.accessToken].map { try CompactJWS($0) }
        let claims = ([bound, byCode] + others).flatMap { (try? $0.claims().names) ?? [] } + ["attributes"]
        #expect(names == Set(try token.header.names + token.claims().names + claims))
        #expect(try token.claims()["cnf"] == nil)
        #expect(try token.claims()["auth_time"] != nil)
    }
}
