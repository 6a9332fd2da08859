/// The three houses that the rules are tried in, each built when it is first asked for and shared from then on.
enum Houses {
    static func of(_ world: World) throws -> any House {
        switch world {
        case .handler: try handler.get()
        case .fastCGI: try fastCGI.get()
        case .nginx: try nginx.get()
        }
    }

    private static let handler = Result { try InProcessHouse() }
    private static let fastCGI = Result { try ServedHouse() }
    private static let nginx = Result { try FrontedHouse() }
}
