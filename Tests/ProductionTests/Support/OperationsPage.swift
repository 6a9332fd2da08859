import Foundation
import TestSupport

/// The page for operators, for tests that do as it says.
enum OperationsPage {
    /// The commands of a section, block by block, as they are pasted.
    static func commands(of section: String) throws -> [String] {
        let path = Executable.root + "/Sources/Gatehouse/Gatehouse.docc/Operations.md"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let sections = text.components(separatedBy: "\n##").map { $0.drop { $0 == "#" || $0 == " " } }
        guard let found = sections.first(where: { $0.hasPrefix(section + "\n") }) else {
            throw Spawn.Failure(description: "Operations.md has no section \(section)")
        }
        // Of a list, blocks are indented.
        return found.matches(of: /\n *```sh\n((?:.|\n)*?)\n *```/).map { String($0.output.1) }
    }
}
