import Foundation

/// A page of the documentation, whose code the tests run.
package struct DocumentationPage: Sendable {
    /// Code between two lines of three backticks.
    package struct Block: Sendable {
        package let page: String
        /// The heading above it.
        package let section: String
        package let line: Int
        package let language: String
        package let text: String
        /// The last line of text above it.
        package let introduction: String

        package var place: String { "\(page):\(line)" }
    }

    package static let operations = DocumentationPage(path: catalogue + "Operations.md")
    package static let nginx = DocumentationPage(path: "nginx/README.md")
    package static let guardPage = DocumentationPage(path: catalogue + "Guard.md")

    private static let catalogue = "Sources/Server/Gatehouse/Gatehouse.docc/"

    /// Every page, sorted by path.
    package static var all: [DocumentationPage] {
        get throws {
            let folders = [".github", "nginx", "systemd", String(catalogue.dropLast())]
            let pages = try folders.flatMap { folder in
                try FileManager.default.subpathsOfDirectory(atPath: Executable.root + "/" + folder)
                    .filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
            }
            return (pages + ["README.md", "deploy/debian/README.Debian"]).sorted().map { DocumentationPage(path: $0) }
        }
    }

    package let path: String

    package init(path: String) { self.path = path }

    package var lines: [String] {
        get throws {
            try String(contentsOfFile: Executable.root + "/" + path, encoding: .utf8).components(separatedBy: "\n")
        }
    }

    package var blocks: [Block] {
        get throws {
            var (section, introduction, found) = ("", "", [Block]())
            var open: (line: Int, language: String, text: [String])?
            for (index, line) in try lines.enumerated() {
                let trimmed = line.trimmingCharacters(in: .whitespaces)
                if let block = open {
                    guard trimmed == "```" else {
                        open?.text.append(line)
                        continue
                    }
                    found.append(
                        Block(
                            page: path, section: section, line: block.line, language: block.language,
                            text: block.text.joined(separator: "\n"), introduction: introduction))
                    open = nil
                } else if trimmed.hasPrefix("```") {
                    open = (index + 1, String(trimmed.dropFirst(3)), [])
                } else if line.hasPrefix("#") {
                    section = String(line.drop { $0 == "#" || $0 == " " })
                } else if !trimmed.isEmpty {
                    introduction = trimmed
                }
            }
            return found
        }
    }

    /// The code of a section in one language, in order.
    package func blocks(of section: String, _ language: String = "sh") throws -> [String] {
        let found = try blocks.filter { $0.section == section && $0.language == language }.map(\.text)
        guard !found.isEmpty else {
            throw Spawn.Failure(description: "\(path) has no \(language) in a section \(section)")
        }
        return found
    }
}
