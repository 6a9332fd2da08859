import Gatehouse
import IdentityProviders
import JSON

extension ProviderReport {
    /// A provider that refuses the operator's credentials is an error: no user can sign in with it until the operator
    /// corrects them. Equal lines are limited, because every login would repeat them.
    func write(to log: Log, of provider: Provider, throttle: LogThrottle, requestID: String?) {
        guard let (level, fault) = line, throttle.permits("\(provider.rawValue) \(fault)") else { return }
        log(
            level, "provider", [("provider", .string(provider.rawValue)), ("fault", .string(fault))],
            requestID: requestID)
    }

    private var line: (LogLevel, String)? {
        switch self {
        case .answered: nil
        case .misconfigured(let code):
            (.error, "the provider refuses the id or the secret of this installation (\(code)): correct its file")
        case .unavailable(let text): (.warning, text)
        case .crowded: (.warning, "too many logins wait for the provider: it is slow or does not answer")
        }
    }
}
