/// The text that Prometheus reads (its text format, version 0.0.4), as it is being written.
struct Exposition {
    typealias Labels = [(name: String, value: String)]

    private(set) var bytes: [UInt8] = []
    private var name = ""

    /// Begins a metric. What follows is of it, until the next one begins.
    mutating func begin(_ family: Family) {
        name = family.name
        put("# HELP \(name) \(family.help)\n# TYPE \(name) \(family.kind.rawValue)\n")
    }

    mutating func sample(_ value: Int, _ labels: Labels = []) {
        line(suffix: "", labels, String(value))
    }

    /// What nobody knows is not a number: a dashboard leaves it out, and an alert does not take it for anything.
    mutating func sample(_ value: Double?, _ labels: Labels = []) {
        line(suffix: "", labels, Self.text(value ?? .nan))
    }

    mutating func histogram(_ content: Histogram.Content, _ labels: Labels = []) {
        var sum = 0
        for (bound, count) in zip(content.bounds + [.infinity], content.counts) {
            sum += count
            line(suffix: "_bucket", labels + [("le", Self.text(bound))], String(sum))
        }
        line(suffix: "_sum", labels, Self.text(content.sum))
        line(suffix: "_count", labels, String(sum))
    }

    private mutating func line(suffix: String, _ labels: Labels, _ value: String) {
        put(name + suffix)
        if !labels.isEmpty {
            let pairs = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
            put("{" + pairs.joined(separator: ",") + "}")
        }
        put(" " + value + "\n")
    }

    private mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }

    private static func text(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return value.description
    }

    private static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 0x5C || $0 == 0x22 || $0 == 0x0A }) else { return text }
        return text.reduce(into: "") { escaped, character in
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.append(character)
            }
        }
    }
}
