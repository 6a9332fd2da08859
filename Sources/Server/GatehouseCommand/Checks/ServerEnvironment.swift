import FileSystem
import GatehouseServer

/// Settings for development in the environment of a running server, for example from `Environment=` of its unit. Only
/// root can read them, because the server's memory is protected from other processes of its user. No file that they
/// name is opened.
struct ServerEnvironment: Sendable, Equatable {
    private static let names: Set<String> = [
        Settings.table.process.environment.name, Settings.table.sessions.developmentSecret.name,
        Settings.table.apple.keysURL.name,
        Settings.table.apple.tokenURL.name, Settings.table.apple.revokeURL.name,
    ]

    private let variables: [String: String]

    /// - Parameter process: nil if no server is running.
    init(of process: Int?) {
        let bytes = process.flatMap { try? File.read("/proc/\($0)/environ") } ?? []
        self.init(parsing: bytes)
    }

    /// Reads pairs `NAME=value`, each followed by a zero byte (proc(5)).
    init(parsing bytes: [UInt8]) {
        let pairs = bytes.split(separator: 0).compactMap { entry -> (String, String)? in
            let parts = entry.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[1].isEmpty else { return nil }
            return (String(decoding: parts[0], as: UTF8.self), String(decoding: parts[1], as: UTF8.self))
        }
        variables = Dictionary(pairs.filter { Self.names.contains($0.0) }) { first, _ in first }
    }

    subscript(_ name: String) -> String? { variables[name] }

    var environment: AppEnvironment? { self[Settings.table.process.environment.name].flatMap(AppEnvironment.init) }
}
