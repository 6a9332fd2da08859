import Gatehouse
import POSIX
import Synchronization

/// Counts logins, by provider and result. The series of a provider exist from its configuration on, also before the
/// first login; their number does not depend on what clients send.
final class LoginCounts: Sendable {
    private final class OfProvider: Sendable {
        let results: [String]
        private let indices: [String: Int]
        private let counters: StripedCounters

        init(_ results: [String]) {
            self.results = results
            indices = Dictionary(uniqueKeysWithValues: results.enumerated().map { ($1, $0) })
            counters = StripedCounters(count: results.count)
        }

        func count(_ result: String) { indices[result].map { counters.add(1, to: $0) } }

        subscript(_ index: Int) -> Int { counters[index] }
    }

    private let providers = Mutex<[Provider: OfProvider]>([:])

    init() { add([.dev, .apple]) }

    /// A provider that was configured before keeps its numbers.
    func add(_ added: [Provider]) {
        providers.withLock { providers in
            for provider in added where providers[provider] == nil { providers[provider] = Self.counts(of: provider) }
        }
    }

    func countSuccess(by provider: Provider, isNewUser: Bool) {
        count(isNewUser ? Self.newUser : Self.knownUser, by: provider)
    }

    func count(_ refusal: Refusal, by provider: Provider) { count(refusal.label, by: provider) }

    private func count(_ result: String, by provider: Provider) {
        providers.withLock { $0[provider] }?.count(result)
    }

    func write(to text: inout Exposition) {
        let all = providers.withLock { $0 }.sorted { $0.key.rawValue < $1.key.rawValue }
        text.begin("gatehouse_logins_total", .counter, "Logins, by provider and result.")
        for (provider, counts) in all {
            for (index, result) in counts.results.enumerated() {
                text.sample(counts[index], [("provider", provider.lowercaseName), ("result", result)])
            }
        }
    }

    private static let (newUser, knownUser) = ("new_user", "known_user")

    private static func counts(of provider: Provider) -> OfProvider {
        OfProvider([newUser, knownUser] + Refusal.ofLogins(by: provider).map(\.label))
    }
}

extension Refusal {
    /// The refusals of logins, one of each label.
    static func ofLogins(by provider: Provider) -> [Refusal] {
        let any: [Refusal] = [.userDisabled, .invalidProof(.missing), .storageUnavailable(StoreFailure("")), .notFound]
        guard provider != .dev else { return [.invalidDevSecret] + any }
        guard !provider.isProvenByCode else {
            // The others are of one-tap sign-in.
            let ofNumbers: [Refusal] = [
                .countryNotServed, .identity(.replayed, by: .phone), .providerUnavailable(.phone),
                .providerMisconfigured(.phone),
            ]
            return [.invalidCode, .staleNumber] + (provider == .phone ? ofNumbers : []) + any
        }
        if provider == .guest { return [.tooManyGuests(CodeLimitReached(.client, wait: .zero))] + any }
        if provider == .passkey {
            return PasskeyFault.all.map(Refusal.passkey) + any
        }
        let faults = IdentityFault.all.map { Refusal.identity($0, by: provider) }
        guard provider != .apple else { return faults + [.providerUnavailable(provider)] + any }
        return faults + [.providerUnavailable(provider), .providerMisconfigured(provider)] + any
    }
}
