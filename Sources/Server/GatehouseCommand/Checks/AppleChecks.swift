import Gatehouse
import GatehouseServer
import GatehouseStore
import IdentityProviders

/// Apple's key set, which every login with Apple needs.
struct KeySetCheck: Check {
    let subject = "Apple's keys"
    let url: String
    let database: (any ExaminedDatabase)?
    /// Nil with `--offline`.
    let probe: KeyServerProbe?

    func run() -> [Finding] {
        let name = KeySetArchive.name(for: .keySet(url: url), of: .apple)
        let stored = database.flatMap { try? $0.document(name) }
        return [evaluate(probe?.outcome)]
            + [evaluate(storedAt: stored?.updatedAt, now: Platform.system.now())].compactMap { $0 }
    }

    func evaluate(_ outcome: KeyServerProbe.Outcome?) -> Finding {
        guard let outcome else { return .note("not checked: --offline") }
        return KeyServerEvaluation(url: url, setting: "APPLE_JWKS_URL").evaluate(outcome)
    }

    /// The stored keys, which logins use while Apple does not answer.
    func evaluate(storedAt time: Timestamp?, now: Timestamp) -> Finding? {
        guard let time else { return nil }
        let message = "the stored key set was fetched at \(time)"
        let isTooOld = time + KeySetPolicy().staleLimit < now
        return .note(isTooOld ? message + ", and is too old to be used" : message)
    }
}

/// Whether Apple accepts the credentials of this server.
struct CredentialsCheck: Check {
    let subject = "Apple's credentials"
    let survey: ConfigurationSurvey
    let isOffline: Bool

    func run() -> [Finding] {
        guard survey.hasCredentials else {
            let names = "APPLE_TEAM_ID, APPLE_KEY_ID and APPLE_PRIVATE_KEY"
            return [.note("not set: without \(names), no code is exchanged and no token revoked")]
        }
        guard let server = survey.appleServer, let apps = survey.audiences, let issuers = survey.issuers else {
            return [.note("not checked: see configuration")]
        }
        return (apps + clientOfBrowsers(besides: apps)).map { app in
            guard (try? server.secrets.secret(for: app, now: Platform.system.now())) != nil else {
                return .fault(
                    "no client secret can be signed for \(app)",
                    "set APPLE_PRIVATE_KEY_FILE to the unchanged .p8 file from Apple")
            }
            if isOffline { return .note("a client secret can be signed for \(app); Apple was not asked: --offline") }
            return evaluate(
                Self.ask(AppleEndpoints(server, issuers: issuers, web: survey.appleWebClient), for: app), for: app,
                at: server.addresses.token)
        }
    }

    /// The Services ID with which browsers sign in. The codes that they bring are exchanged for it.
    private func clientOfBrowsers(besides apps: [String]) -> [String] {
        [survey.appleWebClient?.id].compactMap { $0 }.filter { !apps.contains($0) }
    }

    /// Exchanges a code that does not exist: Apple refuses the code only after it has accepted the credentials.
    private static func ask(_ server: AppleEndpoints, for app: String) -> AppleServerFault {
        do throws(AppleServerFault) {
            _ = try server.exchange(code: "gatehouse-check", for: app, now: Platform.system.now())
            return .grantRefused
        } catch {
            return error
        }
    }

    func evaluate(_ answer: AppleServerFault, for app: String, at url: String) -> Finding {
        switch answer {
        case .grantRefused: .ok("Apple accepts them for \(app)")
        case .credentialsRefused(let word):
            .fault(
                "Apple refuses them for \(app): \(word)",
                "compare APPLE_TEAM_ID, APPLE_KEY_ID, the .p8 file and the bundle id or Services ID with developer.apple.com, Keys; check the clock"
            )
        case .unavailable(let reason):
            .fault(
                "Apple's token endpoint does not answer: \(reason)",
                "curl -v \(url.withoutQuery.shellQuoted); see Apple's keys in this report")
        }
    }
}

extension String {
    /// The host of a URL, with the port if there is one.
    var host: String {
        let rest = drop { $0 != "/" }.drop { $0 == "/" }
        return String(rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" })
    }

    /// A URL without its query, which may hold a secret.
    var withoutQuery: String { String(prefix { $0 != "?" && $0 != "#" }) }
}

/// Evaluates the answer of a key server.
struct KeyServerEvaluation {
    let url: String
    /// The setting that decides about the address, for advice.
    let setting: String

    func evaluate(_ outcome: KeyServerProbe.Outcome) -> Finding {
        let get = "curl -v \(url.withoutQuery.shellQuoted)"
        return switch outcome {
        case .keys(let count): .ok("\(count) usable keys")
        case .noKeys: .fault("\(host) answers without a usable key", "correct \(setting); \(get)")
        case .metadata(let reason): .fault(reason, "correct \(setting); \(get)")
        case .status(let status): .fault("\(host) answers with the status \(status)", "correct \(setting); \(get)")
        case .noAddress(let reason):
            .fault("DNS has no address for \(host): \(reason)", "getent hosts \(host); check /etc/resolv.conf")
        case .unreachable(let reason):
            .fault("\(host) cannot be reached: \(reason)", "check ip route and firewalls; \(get)")
        case .late(let reason):
            .fault("\(host) does not answer in time: \(reason)", "check ip route and firewalls; \(get)")
        case .insecure(let reason):
            .fault(
                "no trusted TLS connection to \(host): \(reason)",
                "apt install ca-certificates; check the clock and proxies; \(get)")
        case .unusable(let reason): .fault("\(host) does not send a valid answer: \(reason)", get)
        }
    }

    private var host: String { String(url.host.prefix { $0 != ":" }) }
}
