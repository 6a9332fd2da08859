import Gatehouse
import POSIX

/// What the domain has told of since the start.
final class OccurrenceCounts: MetricSource {
    private let places: [Series: Int]
    private let numbers: StripedCounters

    init() {
        places = Dictionary(uniqueKeysWithValues: Series.all.enumerated().map { ($1, $0) })
        numbers = StripedCounters(count: Series.all.count)
    }

    func count(_ occurrence: Occurrence) {
        guard let (series, amount) = Series.counting(occurrence), let place = places[series] else { return }
        numbers.add(amount, to: place)
    }

    func write(to text: inout Exposition) {
        for family in Series.Family.allCases {
            text.begin(family.described)
            for (index, series) in Series.all.enumerated() where series.family == family {
                text.sample(numbers[index], zip(family.labels, series.values).map { ($0, $1) })
            }
        }
    }
}
