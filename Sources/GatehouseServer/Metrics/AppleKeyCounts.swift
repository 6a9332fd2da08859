import AppleID
import POSIX

/// How often Apple's keys were fetched, and with what success.
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
