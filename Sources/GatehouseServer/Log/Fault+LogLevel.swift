import FastCGI

extension Fault {
    /// What a peer does is its own business; what this process could not do is an operator's.
    var level: LogLevel {
        switch self {
        case .refused, .expired: .debug
        case .tooManyConnections, .acceptFailed: .warning
        }
    }
}
