import Foundation
import TestSupport

/// A server whose settings are in a configuration file, with its keys in separate files.
final class ServerWithConfigurationFile: Sendable {
    let server: ServerProcess
    private let file: ConfigurationFile
    var path: String { file.path }
    /// As the file has it at the start.
    var databaseURL: String { file.databaseURL }

    init(_ changes: [String: String?] = [:]) throws {
        let file = try ConfigurationFile()
        server = try ServerProcess { file.take(&$0, changes) }
        self.file = file
    }

    /// Changes the files without a reload.
    func write(_ changes: [String: String?]) throws { try file.write(changes) }

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
        let before = server.process.log.utf8.count
        server.process.signal(SIGHUP)
        var newLines = ""
        _ = Eventually.holds {
            newLines = String(decoding: server.process.log.utf8.dropFirst(before), as: UTF8.self)
            return newLines.contains("\"event\":\"reloaded\"") || newLines.contains("\"event\":\"reload_refused\"")
        }
        return newLines
    }
}
