/// Reads settings and collects every fault instead of stopping at the first.
///
/// A setting that is at fault yields its default, so that reading goes on; whoever reads looks at `faults` at the end
/// and uses nothing of it if there are any.
struct SettingReader {
    private(set) var faults: [SettingFault]
    /// What is allowed and yet probably not meant.
    private(set) var warnings: [String]
    /// What has been read so far.
    private(set) var digests = SettingDigests()
    /// Whether a setting was asked for that may be set where it cannot be read.
    private(set) var hasMetUnreadable = false
    private let source: SettingSource

    /// Begins with what is wrong with the configuration file.
    init(_ source: SettingSource) {
        self.source = source
        faults = source.file?.faults ?? []
        warnings = source.file?.warnings ?? []
    }

    mutating func warn(_ message: String) {
        warnings.append(message)
    }

    mutating func note(_ name: String, _ message: String) {
        faults.append(SettingFault(name, message))
    }

    /// That a setting is missing, where that can be known.
    mutating func noteMissing(_ name: String, _ purpose: String) {
        if !source.isDenied(name) { note(name, "is missing: \(purpose)") }
    }

    mutating func text(_ name: String) -> String? {
        assert(Setting.writable.contains(name), "Setting.all does not know \(name)")
        hasMetUnreadable = hasMetUnreadable || source.isSpoilt(name) || source.isDenied(name)
        do {
            let text = try source.value(of: name)
            digests.note(name, text)
            return text
        } catch {
            faults.append(error)
            return nil
        }
    }

    /// The same, and whether somebody has tried to set it, be it in vain: who has is not told that it is missing.
    mutating func attempt(_ name: String) -> (isSet: Bool, text: String?) {
        let before = faults.count
        let text = text(name)
        return (text != nil || faults.count > before || source.isSpoilt(name), text)
    }

    /// What a file beside the configuration file says about a setting that is not set: its path and its text.
    mutating func fallback(for name: String) -> (path: String, text: String)? {
        guard let found = source.fallback(for: name) else { return nil }
        digests.note(name, found.text)
        return found
    }

    /// A setting without which there is nothing to serve.
    mutating func required(_ name: String, _ purpose: String) -> String {
        let (isSet, text) = attempt(name)
        if !isSet { noteMissing(name, purpose) }
        return text ?? ""
    }

    /// A setting that is read by a parser, which returns nil for what it does not understand.
    mutating func parsed<Value>(
        _ name: String, default fallback: Value, expecting form: String, _ parse: (String) -> Value?
    ) -> Value {
        guard let text = text(name) else { return fallback }
        if let value = parse(text) { return value }
        note(name, "must be \(form)")
        return fallback
    }

    /// - Parameter trimmed: white space around the value does not count, and a value of nothing else is none.
    mutating func oneOf<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String, default fallback: Choice, trimmed: Bool = false
    ) -> Choice {
        let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        return parsed(name, default: fallback, expecting: "one of " + choices) { text in
            let text = trimmed ? text.trimmingWhiteSpace : text
            return trimmed && text.isEmpty ? fallback : Choice(rawValue: text)
        }
    }

    mutating func duration(_ name: String, default fallback: Duration, in range: ClosedRange<Duration>) -> Duration {
        let form =
            "a time such as 30s, 15m, 12h or 30d, from \(range.lowerBound.setting) to \(range.upperBound.setting)"
        return parsed(name, default: fallback, expecting: form) { text in
            Duration(setting: text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// The entries of a comma-separated list, nil where there is no text to read.
    mutating func list(_ name: String, _ text: String?) -> [String]? {
        guard let text, !text.isEmpty else { return nil }
        let entries = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
        if entries.contains("") { note(name, "must be a list separated by commas, without empty entries") }
        return entries
    }
}
