import Gatehouse
import JSON

/// Counts the events of the domain, and logs those that an operator should see at once. The
/// others are in the audit trail.
struct ObservationReporter: Sendable {
    let counts = ObservationCounts()
    let log: Log
    private let throttle = LogThrottle(every: .seconds(60))

    init(log: Log) {
        self.log = log
    }

    func report(_ event: Observation, requestID: String?) {
        counts.count(event)
        switch event {
        case .refreshTokenReused(let session, let user):
            warn("refresh_token_reused", session, user, requestID)
        case .sessionKeyMismatch(let session, let user):
            warn("session_key_mismatch", session, user, requestID)
        case .sessionRepeatedElsewhere(let session, let user):
            warn("session_repeated_elsewhere", session, user, requestID)
        case .identityOfTwoUsers(let provider, let first, let second):
            guard throttle.permits("\(first.text) \(second.text)") else { return }
            let fault = "the two ids of one person belong to two users: decide which one is right, and delete the other"
            log(
                .error, "identity_of_two_users",
                [
                    ("fault", .string(fault)), ("provider", .string(provider.rawValue)), ("user", .string(first.text)),
                    ("other", .string(second.text)),
                ], requestID: requestID)
        case .unknownRoleDemanded(let name):
            guard throttle.permits(name) else { return }
            misspelt("a role that does not exist", ("role", .string(name)), requestID)
        case .unknownLoginDemanded(let text):
            guard throttle.permits(text) else { return }
            misspelt("a login that is neither a number of seconds nor an acr", ("login", .string(text)), requestID)
        case .appleTaskFailed(let kind, let fault, let user):
            log(
                fault.level, "apple_task",
                [
                    ("kind", .string(kind.rawValue)), ("fault", .string(fault.explanation)),
                    ("user", .string(user.text)),
                ])
        case .ownerNotice(let notice, .givenUp):
            log(.warning, "notice_given_up", [("notice", .string(notice.rawValue))])
        case .webSignInRefused(let provider, let error):
            guard throttle.permits("sign-in \(provider.rawValue)") else { return }
            // The text comes through the browser, so another one than the provider may have sent it.
            let code = error?.text ?? "(not a plain name)"
            log(
                .warning, "web_sign_in_refused",
                [
                    ("fault", "the provider answers a sign-in with an error: compare its client with the settings"),
                    ("provider", .string(provider.rawValue)), ("error", .string(code)),
                ], requestID: requestID)
        case .redirectURIRefused(let address):
            guard throttle.permits("redirect address") else { return }
            log(
                .warning, "redirect_uri_refused",
                [
                    ("fault", "a sign-in names an address that REDIRECT_URIS does not have"),
                    ("redirect_uri", .string(address)),
                ], requestID: requestID)
        case .storeFailureTolerated(let failure):
            log.storeFailure(failure, requestID)
        default: return
        }
    }

    private func misspelt(_ demand: String, _ value: (String, JSONValue), _ requestID: String?) {
        let fault = "nginx demands \(demand) for a guarded location: it refuses every user"
        log(.error, "guard", [("fault", .string(fault)), value], requestID: requestID)
    }

    private func warn(_ event: String, _ session: SessionID, _ user: UserID, _ requestID: String?) {
        log(
            .warning, event, [("session", .string(session.text)), ("user", .string(user.text))], requestID: requestID)
    }
}
