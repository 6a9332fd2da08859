import GatehouseServer
import POSIX

/// Settings of development that a running server has from its environment, such as `Environment=` of its unit. Only root
/// may look, since the server keeps its memory from other processes of its user; the values are judged and nothing is opened that they name.
struct ServerEnvironment: Sendable, Equatable {
    private static let names: Set<String> = [
        "APP_ENV", "DEV_LOGIN_SECRET", "APPLE_JWKS_URL", "APPLE_TOKEN_URL", "APPLE_REVOKE_URL",
    ]

    private let variables: [String: String]

    /// - Parameter process: nil where no server is known to run.
    init(of process: Int?) {
        let bytes = process.flatMap { try? File.read("/proc/\($0)/environ") } ?? []
        self.init(parsing: bytes)
    }

    /// Reads `NAME=value` with a zero byte behind each (proc(5)).
    init(parsing bytes: [UInt8]) {
        let pairs = bytes.split(separator: 0).compactMap { entry -> (String, String)? in
            let parts = entry.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[1].isEmpty else { return nil }
            return (String(decoding: parts[0], as: UTF8.self), String(decoding: parts[1], as: UTF8.self))
        }
        variables = Dictionary(pairs.filter { Self.names.contains($0.0) }) { first, _ in first }
    }

    subscript(_ name: String) -> String? { variables[name] }

    var environment: AppEnvironment? { self["APP_ENV"].flatMap(AppEnvironment.init) }
}
