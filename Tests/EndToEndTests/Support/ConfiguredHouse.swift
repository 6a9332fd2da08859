import Foundation
import TestSupport

/// A served house whose settings all stand in a configuration file, and its keys in files that this names.
final class ConfiguredHouse: Sendable {
    let house: ServedHouse
    private let folder: TemporaryFolder
    private let standard: [String: String]
    var file: String { folder.file("gatehouse.conf") }

    init(_ changes: [String: String?] = [:]) throws {
        let folder = try TemporaryFolder()
        var standard: [String: String] = [:]
        house = try ServedHouse { variables in
            standard = variables
            try? Self.write(Self.merged(variables, changes), into: folder)
            variables = ["GATEHOUSE_CONFIG": folder.file("gatehouse.conf")]
        }
        self.folder = folder
        self.standard = standard
    }

    /// Changes the files, and nothing else.
    func write(_ changes: [String: String?]) throws {
        try Self.write(Self.merged(standard, changes), into: folder)
    }

    /// Changes the files and has the server read them.
    ///
    /// - Returns: what it has said of that.
    @discardableResult
    func reload(_ changes: [String: String?]) throws -> String {
        try write(changes)
        return reload()
    }

    @discardableResult
    func reload() -> String {
        let before = house.process.log.utf8.count
        house.process.signal(SIGHUP)
        var news = ""
        _ = Eventually.holds {
            news = String(decoding: house.process.log.utf8.dropFirst(before), as: UTF8.self)
            return news.contains("\"event\":\"reloaded\"") || news.contains("\"event\":\"reload_refused\"")
        }
        return news
    }

    private static func merged(_ settings: [String: String], _ changes: [String: String?]) -> [String: String] {
        var settings = settings
        for (name, value) in changes { settings[name] = value }
        return settings
    }

    /// A PEM has lines of its own, which no line of the file can hold.
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
