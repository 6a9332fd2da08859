import Foundation

/// Files as text.
enum Text {
    static func read(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    static func mode(of path: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
    }
}
