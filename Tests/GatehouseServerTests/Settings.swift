import GatehouseServer

/// Environments to read configurations from.
enum Settings {
    static let accessSecret = "access-secret-of-the-tests-0123456789"
    static let refreshSecret = "refresh-secret-of-the-tests-012345678"

    /// The least that serves.
    static let least = [
        "JWT_ACCESS_SECRET": accessSecret, "JWT_REFRESH_SECRET": refreshSecret, "APPLE_BUNDLE_ID": "com.example.app",
    ]

    static func read(_ changes: [String: String?] = [:]) throws(SettingFaults) -> Configuration {
        try Configuration(from: SettingSource(variables: variables(changes)))
    }

    static func variables(_ changes: [String: String?]) -> [String: String] {
        var variables = least
        for (name, value) in changes { variables[name] = value }
        return variables
    }

    /// What is wrong with an environment; nothing where it is good.
    static func faults(_ changes: [String: String?]) -> [SettingFault] {
        do throws(SettingFaults) {
            _ = try read(changes)
            return []
        } catch {
            return error.faults
        }
    }
}
