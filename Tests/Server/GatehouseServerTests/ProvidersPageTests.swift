import Foundation
import GatehouseServer
import Testing

/// The tables of the kinds and the page that is made from them.
@Suite("The Providers page")
struct ProvidersPageTests {
    private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources/Server/Gatehouse/Gatehouse.docc/Providers.md")

    private func text() throws -> String { try String(contentsOf: Self.page, encoding: .utf8) }

    /// With `UPDATE_SETTINGS_PAGE` in the environment, the test writes the tables into the page.
    @Test("the page has the table of each kind")
    func tables() throws {
        var text = try text()
        for kind in ProviderKind.allCases {
            let marks = ["begin", "end"].map { "<!-- settings of \(kind.rawValue): \($0) -->" }
            let begin = try #require(text.firstRange(of: marks[0] + "\n")?.upperBound, "the page has no \(marks[0])")
            let end = try #require(text.firstRange(of: marks[1])?.lowerBound, "the page has no \(marks[1])")
            let table = "\n" + kind.markdown + "\n"
            if ProcessInfo.processInfo.environment["UPDATE_SETTINGS_PAGE"] != nil {
                text.replaceSubrange(begin..<end, with: table)
                try text.write(to: Self.page, atomically: true, encoding: .utf8)
            } else {
                #expect(
                    text[begin..<end] == table,
                    """
                    Providers.md differs from the table in ProviderSettings.swift. To update the page, run:
                    UPDATE_SETTINGS_PAGE=1 ./deploy/test --filter ProvidersPageTests
                    """)
            }
        }
    }

    @Test("each row has a unique name and a summary that is a sentence, and some kind has it")
    func rows() {
        let rows = ProviderSettings.all
        #expect(rows.count > 10 && Set(rows.map(\.name)).count == rows.count)
        let used = Set(ProviderKind.allCases.flatMap { $0.settings.map(\.row.name) })
        for row in rows {
            #expect(used.contains(row.name))
            #expect(row.summary.hasSuffix(".") && (row.details.isEmpty || row.details.hasSuffix(".")), "\(row.name)")
            #expect(!Settings.all.map(\.name).contains(row.name), "a setting of gatehouse.conf is refused: \(row.name)")
        }
    }

    @Test("the examples of the page are valid, but for the files of their secrets")
    func examples() throws {
        let blocks = try text().components(separatedBy: "```ini\n").dropFirst()
        #expect(blocks.count == ProviderKind.allCases.count + 1, "one of each kind, and one with a client for browsers")
        for block in blocks {
            let example = block.components(separatedBy: "```")[0]
            let file = example.replacing(/(APP_SECRET|APP_KEY|CLIENT_SECRET)_FILE=.*/) { "\($0.1)=Xsecret" }
            #expect(try ProviderFixture.faults(of: file).isEmpty, "\(example)")
        }
    }
}
