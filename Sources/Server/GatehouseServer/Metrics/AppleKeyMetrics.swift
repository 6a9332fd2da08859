import Gatehouse
import IdentityProviders
import POSIX

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
        text.begin(Family("gatehouse_apple_key_fetches_total", .counter, "Fetches of Apple's key set, by result."))
        for result in Result.allCases { text.sample(fetches[result.rawValue], [("result", "\(result)")]) }
    }
}

/// Measures Apple's key set at each scrape.
struct AppleKeyGauges: MetricSource {
    let keys: ProviderKeys

    func write(to text: inout Exposition) {
        let status = keys.status
        text.begin(
            Family("gatehouse_apple_keys_usable", .gauge, "Apple's keys that can verify logins right now.")
        )
        text.sample(status.usableKeys)
        text.begin(
            Family(
                "gatehouse_apple_keys_age_seconds", .gauge,
                "Time since Apple's keys were last fetched; NaN without keys.")
        )
        text.sample(status.age.map { Double($0.milliseconds) / 1000 })
        text.begin(
            Family(
                "gatehouse_apple_keys_last_fetch_success", .gauge,
                "1 if the last fetch returned keys, 0 if not; NaN before the first fetch."))
        text.sample(status.lastFetchSucceeded.map { $0 ? 1.0 : 0 })
    }
}
