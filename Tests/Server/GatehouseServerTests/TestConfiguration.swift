import GatehouseServer

/// Configurations that are read from an environment of the test.
enum TestConfiguration {
    static let accessSecret = "access-secret-of-the-tests-0123456789"
    static let refreshSecret = "refresh-secret-of-the-tests-012345678"

    /// The required settings.
    static let required = [
        "JWT_ACCESS_SECRET": accessSecret, "JWT_REFRESH_SECRET": refreshSecret, "APPLE_BUNDLE_ID": "com.example.app",
    ]

    static func read(_ changes: [String: String?] = [:]) throws(SettingFaults) -> Configuration {
        try Configuration(from: SettingSource(variables: variables(changes)))
    }

    static func variables(_ changes: [String: String?]) -> [String: String] {
        var variables = required
        for (name, value) in changes { variables[name] = value }
        return variables
    }

    /// The faults of an environment.
    static func faults(_ changes: [String: String?]) -> [SettingFault] {
        do throws(SettingFaults) {
            _ = try read(changes)
            return []
        } catch {
            return error.faults
        }
    }
}
