/// What this process is run for.
package enum AppEnvironment: String, Sendable, CaseIterable {
    case production
    case development

    /// Whether a value of `NODE_ENV` says production, in capitals or with white space around it as well.
    package static func isProduction(_ text: String?) -> Bool {
        text?.trimmingWhiteSpace.lowercased() == production.rawValue
    }
}

extension String {
    /// Without white space at either end.
    var trimmingWhiteSpace: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
