/// How much is said.
package enum LogLevel: String, Sendable, CaseIterable {
    case debug
    case info
    case warning
    case error

    var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
