/// How much is said.
package enum LogLevel: String, Sendable, CaseIterable {
    case debug
    case info
    case warning
    case error

    var rank: Int {
        switch self {
        case .debug: 0
        case .info: 1
        case .warning: 2
        case .error: 3
        }
    }

    /// What the journal knows a line of this level by, in front of it (sd-daemon(3)).
    var journalPrefix: String {
        switch self {
        case .debug: "<7>"
        case .info: "<6>"
        case .warning: "<4>"
        case .error: "<3>"
        }
    }
}
