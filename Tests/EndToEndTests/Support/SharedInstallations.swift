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

    private static let handler = Result { try InProcessInstallation() }
    private static let fastCGI = Result { try FastCGIInstallation() }
    private static let nginx = Result { try NginxInstallation() }

    private static let publishingHandler = Result { try InProcessInstallation(TestSettings.publishKeys) }
    private static let publishingFastCGI = Result { try FastCGIInstallation(TestSettings.publishKeys) }
    private static let publishingNginx = Result { try NginxInstallation(TestSettings.publishKeys) }
}
