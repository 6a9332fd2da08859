import Gatehouse
import IdentityProviders
import POSIX

/// Measures how many requests wait for a gateway or a mail server, and how many of the last messages it has not accepted.
struct DeliveryGauges: MetricSource {
    let senders: Senders

    func write(to text: inout Exposition) {
        text.begin(
            "gatehouse_messages_waiting", .gauge, "Requests that wait for the gateway or the mail server right now.")
        for channel in CodeChannel.allCases {
            text.sample(senders.waiting(for: channel), [("channel", channel.rawValue)])
        }
        text.begin(
            "gatehouse_messages_failed_since_success", .gauge,
            "Messages that the gateway or the mail server has not accepted since the last one that it has.")
        for channel in CodeChannel.allCases {
            text.sample(senders.failures(of: channel), [("channel", channel.rawValue)])
        }
    }
}

/// Measures the configured providers at each scrape.
struct ProviderGauges: MetricSource {
    let registry: ProviderRegistry

    func write(to text: inout Exposition) {
        text.begin(
            "gatehouse_provider_keys_age_seconds", .gauge,
            "Time since the keys of an OpenID provider were last fetched; NaN without keys.")
        for (provider, age) in registry.keySetAges {
            text.sample(age.map { Double($0.milliseconds) / 1000 }, [("provider", provider.lowercaseName)])
        }
        text.write(
            "gatehouse_provider_waiting_logins", .gauge,
            "Logins that wait for a provider's answer to a code right now.", registry.waitingLogins)
    }
}

/// Counts fetches of Apple's key set.
final class AppleKeyCounts: MetricSource {
    private enum Result: Int, CaseIterable {
        case renewed
        case failed
    }

    private let fetches = StripedCounters(count: Result.allCases.count)

    func count(_ report: KeySetReport) {
        switch report {
        case .renewed: fetches.add(1, to: Result.renewed.rawValue)
        case .failed: fetches.add(1, to: Result.failed.rawValue)
        case .restored, .discarded: return
        }
    }

    func write(to text: inout Exposition) {
        text.begin("gatehouse_apple_key_fetches_total", .counter, "Fetches of Apple's key set, by result.")
        for result in Result.allCases { text.sample(fetches[result.rawValue], [("result", "\(result)")]) }
    }
}

/// Measures Apple's key set at each scrape.
struct AppleKeyGauges: MetricSource {
    let keys: ProviderKeys

    func write(to text: inout Exposition) {
        let status = keys.status
        text.write(
            "gatehouse_apple_keys_usable", .gauge, "Apple's keys that can verify logins right now.", status.usableKeys)
        text.write(
            "gatehouse_apple_keys_age_seconds", .gauge, "Time since Apple's keys were last fetched; NaN without keys.",
            status.age.map { Double($0.milliseconds) / 1000 })
        text.write(
            "gatehouse_apple_keys_last_fetch_success", .gauge,
            "1 if the last fetch returned keys, 0 if not; NaN before the first fetch.",
            status.lastFetchSucceeded.map { $0 ? 1.0 : 0 })
    }
}
