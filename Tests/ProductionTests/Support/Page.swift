import Foundation
import TestSupport

/// What the pages tell an operator to paste.
enum Page {
    /// The indented blocks of a section, in order and without their indentation.
    static func blocks(_ path: String, section: String) throws -> [String] {
        let text = try String(contentsOfFile: Executable.root + "/" + path, encoding: .utf8)
        let lines = text.components(separatedBy: "\n")
        guard let start = lines.firstIndex(of: section) else {
            throw Spawn.Failure(description: "\(path) has no section \(section)")
        }
        let body = lines[(start + 1)...].prefix { !$0.hasPrefix("## ") }
        return body.split { !$0.isEmpty && !$0.hasPrefix("    ") }
            .map { $0.map { String($0.dropFirst(4)) }.joined(separator: "\n").trimmingCharacters(in: .newlines) + "\n" }
            .filter { $0 != "\n" }
    }
}

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
