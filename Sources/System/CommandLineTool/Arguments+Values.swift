import POSIX

/// Values with a fixed form.
extension Arguments {
    /// The value of an option that takes one of several words, in upper or lower case; nil if the option is not given.
    package func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ option: String, among _: Choice.Type
    ) throws(CommandError) -> Choice? {
        guard let text = value(option) else { return nil }
        return try Self.choice(text, for: option, among: Choice.self)
    }

    /// The same for a positional argument.
    package static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ text: String, for name: String, among _: Choice.Type
    ) throws(CommandError) -> Choice {
        if let choice = Choice.allCases.first(where: { $0.rawValue.uppercased() == text.uppercased() }) {
            return choice
        }
        let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        throw CommandError(.usage, "\(name) must be one of \(words)")
    }

    /// The value of `--limit`: how many rows to show at most.
    package func limit(default standard: Int) throws(CommandError) -> Int {
        guard let text = value("--limit") else { return standard }
        guard let number = Int(text), (1...1_000_000).contains(number) else {
            throw CommandError(.usage, "--limit must be a number from 1 to 1000000")
        }
        return number
    }

    /// The time that `--at` sets in place of the current one, in milliseconds since 1970. `reading` reads a written date.
    package func effectiveTime(reading: (String) -> Int64?) throws(CommandError) -> Int64 {
        guard let text = value("--at") else { return WallClock.millisecondsSince1970() }
        let (milliseconds, isTooLarge) = (Int64(text) ?? 0).multipliedReportingOverflow(by: 1000)
        if Int64(text) != nil, !isTooLarge { return milliseconds }
        if let milliseconds = reading(text) { return milliseconds }
        throw CommandError(.usage, "--at must be seconds since 1970, or a UTC time such as 2026-11-21T10:00:00Z")
    }
}
