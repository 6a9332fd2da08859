import Gatehouse
import GatehouseServer
import IdentityProviders
import JOSE
import POSIX

/// Asks a configured provider: an OpenID provider for its keys, another one whether it accepts the id and the secret. No
/// request takes longer than at a login. Where browsers sign in with it, it is also asked about their client.
struct ConfiguredProviderCheck: Check {
    let provider: ConfiguredProvider
    /// The provider's file, for advice.
    let file: String
    /// The address to which it sends browsers back; nil if it is not known.
    var callback: String?
    let isOffline: Bool

    var subject: String { "provider \(provider.name.lowercaseName)" }

    func run() -> [Finding] {
        if isOffline { return [.note("not checked: --offline")] }
        let callback = callback ?? Self.madeUpCallback
        let client = provider.web.flatMap {
            provider.details.check($0, of: provider.name, callback: callback, calls: calls)
        }
        return logins + [client].compactMap { $0.map { evaluate($0, about: .webClient) } }
    }

    private static let madeUpCallback = "https://localhost/"

    private var logins: [Finding] {
        if let answer = provider.details.checkApp(provider.name, calls: calls) {
            return [evaluate(answer, about: .app)]
        }
        guard let (rules, keys) = provider.openID else { return [] }
        let probe = KeyServerProbe(asking: keys, by: rules)
        return [evaluate(probe.outcome, at: probe.url, rules, keys)]
            + [evaluate(clock: probe.date, now: Platform.system.now())].compactMap { $0 }
    }

    private var calls: ProviderCalls {
        ProviderCalls(gate: CallGate(limit: 1), post: provider.postToTokenEndpoint)
    }
}

// MARK: - OpenID

extension ConfiguredProviderCheck {
    /// - Parameter url: of the last request.
    func evaluate(
        _ outcome: KeyServerProbe.Outcome, at url: String, _ rules: TokenRules, _ address: KeySetAddress
    ) -> Finding {
        let algorithms = rules.algorithms.map(\.rawValue).joined(separator: ", ")
        if case .keys(let count) = outcome {
            return .ok("\(count) usable \(count == 1 ? "key" : "keys") for \(algorithms)" + place(of: address))
        }
        let setting =
            switch (outcome, address) {
            case (.noKeys, _): "ALGORITHMS (\(algorithms)) or JWKS_URL in \(file.shellQuoted)"
            case (_, .discovery): "ISSUER in \(file.shellQuoted), or set JWKS_URL there"
            case (_, .keySet): "JWKS_URL in \(file.shellQuoted)"
            }
        return KeyServerEvaluation(url: url, setting: setting).evaluate(outcome)
    }

    private func place(of address: KeySetAddress) -> String {
        guard case .discovery(let issuer) = address else { return "" }
        return ", named by the metadata of \(issuer)"
    }

    /// Nil if it is right, or not known.
    func evaluate(clock time: Timestamp?, now: Timestamp) -> Finding? {
        guard let time, abs(now.milliseconds - time.milliseconds) > ClockCheck.tolerance.milliseconds else {
            return nil
        }
        return .fault(
            "the clock says \(now), and the provider's server \(time): its tokens are refused",
            "timedatectl set-ntp true; timedatectl status; if this machine's clock is right, tell the provider")
    }
}

// MARK: - Apps with an id and a secret

extension ConfiguredProviderCheck {
    /// What an id and a secret belong to.
    enum Credentials {
        case app
        case webClient
    }

    func evaluate(_ answer: ProviderCheck, about subject: Credentials) -> Finding {
        let credentials = names(of: subject)
        return switch answer {
        case .accepted: .ok("it accepts \(credentials)")
        case .refused(let code):
            .fault(
                "it refuses \(credentials), or this machine's address: error \(code)",
                "compare \(credentials) in \(file.shellQuoted) with the app at the provider, and the addresses permitted there"
            )
        case .unavailable(let reason):
            .fault(
                "it does not answer: \(reason)",
                "check ip route and firewalls; curl -v \(address(for: subject).withoutQuery.shellQuoted)")
        case .unclear(let code):
            .note(
                "whether it accepts \(credentials) is not known: \(code == "0" ? "an answer without error" : "error \(code)")",
                "repeat later; look up the error in the provider's documentation")
        }
    }

    private func names(of subject: Credentials) -> String {
        switch subject {
        case .webClient: "CLIENT_ID and CLIENT_SECRET"
        case .app: "APP_ID and \(provider.app?.secretSetting ?? "")"
        }
    }

    private func address(for subject: Credentials) -> String {
        (subject == .webClient ? provider.web?.tokenURL : nil) ?? provider.addresses[0]
    }
}
