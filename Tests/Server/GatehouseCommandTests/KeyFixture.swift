import Foundation
import GatehouseServer
import GatehouseTokens
import JOSE
import TestSupport

/// A folder of credentials as the package creates it, and the commands of `gatehouse keys` for it.
struct KeyFixture {
    static let names = ["jwt_access_secret", "jwt_refresh_secret", "data_key", "access_signing_key"]

    let tool: Tool
    let folder: String
    var environment: [String: String]

    /// - Parameter place: the folder of the credentials; nil for a temporary one.
    init(at place: String? = nil) throws {
        tool = try Tool()
        folder = place ?? tool.folder.file("credentials")
        environment = tool.settings(["CREDENTIALS_DIRECTORY": folder, "PATH": "/usr/bin:/bin:/usr/sbin"])
        for name in Tool.secrets.keys { environment[name] = nil }
        if place == nil {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        for name in Self.names {
            let key = try NewKey.generate(name == "access_signing_key" ? .EdDSA : .HS256)
            try (key.text + "\n").write(toFile: file(name), atomically: true, encoding: .utf8)
            chmod(file(name), 0o600)
        }
    }

    func file(_ name: String) -> String { folder + "/" + name }

    func keys(_ words: String..., through wrapper: [String] = []) throws -> Shell.Outcome {
        try keys(words, through: wrapper)
    }

    func keys(_ words: [String], through wrapper: [String] = []) throws -> Shell.Outcome {
        try Shell.outcome(
            of: ["/usr/bin/timeout", "60"] + wrapper + [Executable.gatehouse, "keys"] + words, environment: environment)
    }

    /// The content of a file without the line end; empty if there is no file.
    func text(_ name: String) -> String {
        ((try? String(contentsOfFile: file(name), encoding: .utf8)) ?? "").trimmingCharacters(in: .newlines)
    }

    func list(_ name: String) -> KeyList {
        KeyList(parsing: text(name + "_previous"), name == "access_signing_key" ? .pem : .line)
    }

    /// Every current and previous key of this name.
    func all(_ name: String) -> Set<String> { Set(list(name).entries.map(\.text) + [text(name)]) }

    /// The configuration of a server that starts now.
    func configuration() throws -> Configuration {
        try Configuration(from: SettingSource(variables: environment.filter { $0.key != "PATH" }))
    }
}
