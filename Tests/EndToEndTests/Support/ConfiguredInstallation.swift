import Foundation
import TestSupport

/// A server whose settings are in a configuration file, with its keys in separate files.
final class ConfiguredInstallation: Sendable {
    let installation: FastCGIInstallation
    private let folder: TemporaryFolder
    private let standard: [String: String]
    var file: String { folder.file("gatehouse.conf") }

    init(_ changes: [String: String?] = [:]) throws {
        let folder = try TemporaryFolder()
        var standard: [String: String] = [:]
        installation = try FastCGIInstallation { variables in
            standard = variables
            try? Self.write(Self.merged(variables, changes), into: folder)
            variables = ["GATEHOUSE_CONFIG": folder.file("gatehouse.conf")]
        }
        self.folder = folder
        self.standard = standard
    }

    /// Changes the files without a reload.
    func write(_ changes: [String: String?]) throws {
        try Self.write(Self.merged(standard, changes), into: folder)
    }

    /// Changes the files and reloads the server.
    ///
    /// - Returns: the new log lines.
    @discardableResult
    func reload(_ changes: [String: String?]) throws -> String {
        try write(changes)
        return reload()
    }

    @discardableResult
    func reload() -> String {
        let before = installation.process.log.utf8.count
        installation.process.signal(SIGHUP)
        var newLines = ""
        _ = Eventually.holds {
            newLines = String(decoding: installation.process.log.utf8.dropFirst(before), as: UTF8.self)
            return newLines.contains("\"event\":\"reloaded\"") || newLines.contains("\"event\":\"reload_refused\"")
        }
        return newLines
    }

    private static func merged(_ settings: [String: String], _ changes: [String: String?]) -> [String: String] {
        var settings = settings
        for (name, value) in changes { settings[name] = value }
        return settings
    }

    /// A line of the file cannot hold a PEM, which has several lines, so the PEM gets its own file.
    private static func write(_ settings: [String: String], into folder: TemporaryFolder) throws {
        let lines = try settings.map { name, value in
            guard value.contains("\n") else { return "\(name)=\"\(value)\"" }
            try value.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
            return "\(name)_FILE=\(folder.file(name))"
        }
        try lines.joined(separator: "\n").write(
            toFile: folder.file("gatehouse.conf"), atomically: true, encoding: .utf8)
    }
}
