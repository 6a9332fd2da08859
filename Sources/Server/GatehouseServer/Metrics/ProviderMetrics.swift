import Gatehouse
import IdentityProviders

/// Measures how many requests wait for a gateway or a mail server, and how many of the last messages it has not accepted.
struct DeliveryGauges: MetricSource {
    let senders: Senders

    func write(to text: inout Exposition) {
        text.begin(
            Family(
                "gatehouse_messages_waiting", .gauge, "Requests that wait for the gateway or the mail server right now."
            ))
        for channel in CodeChannel.allCases {
            text.sample(senders.waiting(for: channel), [("channel", channel.rawValue)])
        }
        text.begin(
            Family(
                "gatehouse_messages_failed_since_success", .gauge,
                "Messages that the gateway or the mail server has not accepted since the last one that it has."))
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
            Family(
                "gatehouse_provider_keys_age_seconds", .gauge,
                "Time since the keys of an OpenID provider were last fetched; NaN without keys."))
        for (provider, age) in registry.keySetAges {
            text.sample(age.map { Double($0.milliseconds) / 1000 }, [("provider", provider.lowercaseName)])
        }
        text.begin(
            Family(
                "gatehouse_provider_waiting_logins", .gauge,
                "Logins that wait for a provider's answer to a code right now."
            ))
        text.sample(registry.waitingLogins)
    }
}
