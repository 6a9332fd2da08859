/// Servers that many tests share. Each is created on first use.
enum SharedServers {
    /// The default settings.
    static func standard(_ environment: TestEnvironment) throws -> any TestServer {
        switch environment {
        case .handler: try handler.get()
        case .fastCGI: try fastCGI.get()
        case .nginx: try nginx.get()
        }
    }

    /// With keys that sign access tokens and are published.
    static func publishingKeys(_ environment: TestEnvironment) throws -> any TestServer {
        switch environment {
        case .handler: try publishingHandler.get()
        case .fastCGI: try publishingFastCGI.get()
        case .nginx: try publishingNginx.get()
        }
    }

    /// Where an old refresh token ends its session as soon as it has been superseded twice, or its successor was used.
    static let strictNginx = Result { try ServerBehindNginx { $0["REFRESH_REUSE_GRACE"] = "0s" } }

    private static let handler = Result { try InProcessServer() }
    private static let fastCGI = Result { try ServerProcess() }
    static let nginx = Result { try ServerBehindNginx() }

    private static let publishingHandler = Result { try InProcessServer(TestSettings.publishAll) }
    private static let publishingFastCGI = Result { try ServerProcess(TestSettings.publishAll) }
    private static let publishingNginx = Result { try ServerBehindNginx(TestSettings.publishAll) }
}
