/// Writes Prometheus' text format, version 0.0.4.
struct Exposition {
    typealias Labels = [(name: String, value: String)]

    private(set) var bytes: [UInt8] = []
    private var name = ""

    /// Begins a metric. The samples that follow belong to it.
    mutating func begin(_ family: Family) {
        name = family.name
        put("# HELP \(name) \(family.help)\n# TYPE \(name) \(family.kind.rawValue)\n")
    }

    mutating func sample(_ value: Int, _ labels: Labels = []) {
        line(suffix: "", labels, String(value))
    }

    /// An unknown value is NaN, which dashboards omit and alerts do not match.
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

/// The name, kind and help text of a metric.
struct Family: Sendable {
    enum Kind: String, Sendable {
        case counter
        case gauge
        case histogram
    }

    let name: String
    let kind: Kind
    let help: String

    init(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        self.kind = kind
        self.help = help
    }
}
