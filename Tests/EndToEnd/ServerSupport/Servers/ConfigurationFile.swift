import Foundation
import Synchronization
import TestSupport

/// The configuration file of a server, which a test changes while the server runs.
final class ConfigurationFile: Sendable {
    private let folder: TemporaryFolder
    private let standard = Mutex<[String: String]>([:])
    var path: String { folder.file("gatehouse.conf") }
    var databaseURL: String { standard.withLock { $0["DATABASE_URL"] ?? "" } }

    init() throws { folder = try TemporaryFolder() }

    /// Moves the settings of a server that starts now from its environment into the file.
    func take(_ variables: inout [String: String], _ changes: [String: String?] = [:]) {
        standard.withLock { $0 = variables }
        try? write(changes)
        variables = ["GATEHOUSE_CONFIG": path]
    }

    /// Writes the settings with these changes; nil removes a setting.
    func write(_ changes: [String: String?]) throws {
        var settings = standard.withLock { $0 }
        for (name, value) in changes { settings[name] = value }
        let lines = try settings.map { name, value in
            // A line of the file cannot hold a PEM, which has several lines, so the PEM gets its own file.
            guard value.contains("\n") else { return "\(name)=\"\(value)\"" }
            try value.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
            return "\(name)_FILE=\(folder.file(name))"
        }
        try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
    }
}
