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
