import Foundation
import Testing

/// A table of a page that is made from the sources, between two comments with its name.
struct TableInPage {
    let page: String
    let name: String

    private static func file(of page: String) -> URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/Server/Gatehouse/Gatehouse.docc").appending(path: page)
    }

    static func text(of page: String) throws -> String { try String(contentsOf: file(of: page), encoding: .utf8) }

    /// With `UPDATE_SETTINGS_PAGE` in the environment, the table is written into the page.
    ///
    /// - Parameter source: the file that the table is made from.
    func expect(_ table: String, of source: String, suite: String) throws {
        var text = try Self.text(of: page)
        let marks = ["begin", "end"].map { "<!-- \(name): \($0) -->" }
        let begin = try #require(text.firstRange(of: marks[0] + "\n")?.upperBound, "the page has no \(marks[0])")
        let end = try #require(text.firstRange(of: marks[1])?.lowerBound, "the page has no \(marks[1])")
        if ProcessInfo.processInfo.environment["UPDATE_SETTINGS_PAGE"] != nil {
            text.replaceSubrange(begin..<end, with: "\n" + table + "\n")
            try text.write(to: Self.file(of: page), atomically: true, encoding: .utf8)
        } else {
            #expect(
                text[begin..<end] == "\n" + table + "\n",
                """
                \(page) differs from the table in \(source). To update the page, run:
                UPDATE_SETTINGS_PAGE=1 ./deploy/test --filter \(suite)
                """)
        }
    }
}
