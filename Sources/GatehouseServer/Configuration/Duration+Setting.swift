import Gatehouse

extension Duration {
    private static let units: [(mark: Character, seconds: Int64)] = [("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)]

    /// Reads `30s`, `15m`, `12h` or `30d`.
    package init?(setting text: String) {
        guard let mark = text.last, let unit = Self.units.first(where: { $0.mark == mark }),
            let count = Int64(digits: text.dropLast()), count <= 100 * 365 * 86_400 / unit.seconds
        else { return nil }
        self = .seconds(count * unit.seconds)
    }

    /// The same, written.
    var setting: String {
        let unit = Self.units.first { wholeSeconds != 0 && wholeSeconds % $0.seconds == 0 }
        return unit.map { "\(wholeSeconds / $0.seconds)\($0.mark)" } ?? "0s"
    }
}
