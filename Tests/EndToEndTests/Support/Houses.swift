/// The houses that the rules are tried in, each built when it is first asked for and shared from then on.
enum Houses {
    /// One that is set up as most are.
    static func of(_ world: World) throws -> any House {
        switch world {
        case .handler: try handler.get()
        case .fastCGI: try fastCGI.get()
        case .nginx: try nginx.get()
        }
    }

    /// One that publishes its keys.
    static func publishing(_ world: World) throws -> any House {
        switch world {
        case .handler: try publishingHandler.get()
        case .fastCGI: try publishingFastCGI.get()
        case .nginx: try publishingNginx.get()
        }
    }

    private static let handler = Result { try InProcessHouse() }
    private static let fastCGI = Result { try ServedHouse() }
    private static let nginx = Result { try FrontedHouse() }

    private static let publishingHandler = Result { try InProcessHouse(Settings.publishKeys) }
    private static let publishingFastCGI = Result { try ServedHouse(Settings.publishKeys) }
    private static let publishingNginx = Result { try FrontedHouse(Settings.publishKeys) }
}
