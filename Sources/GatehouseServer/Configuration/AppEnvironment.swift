/// What this process is run for.
package enum AppEnvironment: String, Sendable, CaseIterable {
    case production
    case development
}
