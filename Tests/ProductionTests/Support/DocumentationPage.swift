import Foundation
import TestSupport

/// A documentation page whose commands the tests run.
struct DocumentationPage {
    static let operations = DocumentationPage(path: "Sources/Gatehouse/Gatehouse.docc/Operations.md")
    static let nginx = DocumentationPage(path: "nginx/README.md")

    let path: String

    /// The code blocks of a section in one language, in order.
    func blocks(of section: String, _ language: String = "sh") throws -> [String] {
        let text = try String(contentsOfFile: Executable.root + "/" + path, encoding: .utf8)
        let sections = text.components(separatedBy: "\n##").map { $0.drop { $0 == "#" || $0 == " " } }
        guard let found = sections.first(where: { $0.hasPrefix(section + "\n") }) else {
            throw Spawn.Failure(description: "\(path) has no section \(section)")
        }
        // Blocks in a list are indented.
        return found.matches(of: /\n *```(?<language>[a-z]+)\n(?<block>(?:.|\n)*?)\n *```/)
            .filter { $0.language == language }.map { String($0.block) }
    }
}
