/// Installations that many tests share. Each is created on first use.
enum SharedInstallations {
    /// The default settings.
    static func standard(_ environment: TestEnvironment) throws -> any Installation {
        switch environment {
        case .handler: try handler.get()
        case .fastCGI: try fastCGI.get()
        case .nginx: try nginx.get()
        }
    }

    /// With keys that sign access tokens and are published.
    static func publishingKeys(_ environment: TestEnvironment) throws -> any Installation {
        switch environment {
        case .handler: try publishingHandler.get()
        case .fastCGI: try publishingFastCGI.get()
        case .nginx: try publishingNginx.get()
        }
    }

    /// Where an old refresh token ends its session as soon as it has been superseded twice, or its successor was used.
    static func withoutGrace(_ environment: TestEnvironment) throws -> any Installation {
        switch environment {
        case .handler: try strictHandler.get()
        case .fastCGI: try strictFastCGI.get()
        case .nginx: try strictNginx.get()
        }
    }

    private static let strictHandler = Result { try InProcessInstallation { $0["REFRESH_REUSE_GRACE"] = "0s" } }
    private static let strictFastCGI = Result { try FastCGIInstallation { $0["REFRESH_REUSE_GRACE"] = "0s" } }
    static let strictNginx = Result { try NginxInstallation { $0["REFRESH_REUSE_GRACE"] = "0s" } }

    private static let handler = Result { try InProcessInstallation() }
    private static let fastCGI = Result { try FastCGIInstallation() }
    private static let nginx = Result { try NginxInstallation() }

    private static let publishingHandler = Result { try InProcessInstallation(TestSettings.publishKeys) }
    private static let publishingFastCGI = Result { try FastCGIInstallation(TestSettings.publishKeys) }
    private static let publishingNginx = Result { try NginxInstallation(TestSettings.publishKeys) }
}
