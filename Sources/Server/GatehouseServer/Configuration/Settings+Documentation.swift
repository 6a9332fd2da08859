extension Settings {
    /// The table of the Configuration page, in Markdown.
    package static var markdown: String { markdown(all.map { ($0, $0.defaultValue) }) }

    /// - Parameter rows: settings and their defaults.
    static func markdown(_ rows: [(row: any SettingRow, defaultValue: SettingDefault)]) -> String {
        "| setting | default | meaning |\n|---|---|---|\n"
            + rows.map { "| `\($0.name)` |\($1.markdown) | \($0.meaning) |\n" }.joined()
    }

    /// The list in `gatehouse serve --help`.
    package static var help: String {
        let width = all.map(\.name.count).max() ?? 0
        return all.map { row in
            let name = row.name + String(repeating: " ", count: width - row.name.count)
            return "  \(name)  \(row.summary.filter { $0 != "`" })\(row.helpDefault)"
        }.joined(separator: "\n")
    }
}

extension SettingDefault {
    fileprivate var markdown: String {
        switch self {
        case .none: ""
        case .text(let text): " `\(text)`"
        case .required: " required"
        case .requiredIf(let condition): " required \(condition)"
        }
    }
}

extension SettingRow {
    fileprivate var helpDefault: String {
        switch defaultValue {
        case .none: ""
        case .text(let text): " [\(text)]"
        case .required: " [required]"
        case .requiredIf(let condition): " [required \(condition.filter { $0 != "`" })]"
        }
    }

    /// Each sentence ends in a full stop.
    fileprivate var meaning: String {
        [
            summary, format.isEmpty ? "" : "Must be \(format).", details,
            isSecret ? "Secret." : "", needsRestart ? "A change needs a restart." : "",
        ].filter { !$0.isEmpty }.joined(separator: " ")
    }
}
