import Gatehouse

extension AppleServerFault {
    /// What time mends is a warning; what only an operator can mend is an error.
    var level: LogLevel {
        switch self {
        case .grantRefused, .unavailable: .warning
        case .credentialsRefused: .error
        }
    }

    var explanation: String {
        switch self {
        case .grantRefused: "Apple does not honour this code or token any more"
        case .credentialsRefused("DATA_KEY"): "DATA_KEY does not open what was encrypted by another one"
        case .credentialsRefused(let word):
            "Apple refuses our credentials (\(word)): look at APPLE_TEAM_ID and the rest"
        case .unavailable(let fault): "Apple does not answer: \(fault)"
        }
    }
}
