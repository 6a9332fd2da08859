import Gatehouse
import GatehouseServer

/// Options and arguments that have to be of a certain form.
extension Input {
    /// One of some words, in whatever case; nil where the option is not given.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ option: String, among _: Choice.Type
    ) throws(CommandFault) -> Choice? {
        guard let text = value(option) else { return nil }
        return try Self.choice(text, for: option, among: Choice.self)
    }

    /// The same for an argument.
    static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ text: String, for name: String, among _: Choice.Type
    ) throws(CommandFault) -> Choice {
        if let choice = Choice.allCases.first(where: { $0.rawValue.uppercased() == text.uppercased() }) {
            return choice
        }
        let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        throw CommandFault(.usage, "\(name) must be one of \(words)")
    }

    /// How many to show at most.
    func limit(default standard: Int) throws(CommandFault) -> Int {
        guard let text = value("--limit") else { return standard }
        guard let number = Int(text), (1...1_000_000).contains(number) else {
            throw CommandFault(.usage, "--limit must be a number from 1 to 1000000")
        }
        return number
    }

    /// A moment: so long ago, as the settings write times, or a date.
    func moment(_ option: String) throws(CommandFault) -> Timestamp? {
        guard let text = value(option) else { return nil }
        if let ago = Duration(setting: text) { return World.real.now() - ago }
        if let moment = Timestamp(written: text) { return moment }
        let forms = "30s, 15m, 12h or 30d ago, or a moment in UTC such as 2026-11-21 or 2026-11-21T10:00:00Z"
        throw CommandFault(.usage, "\(option) must be a time: \(forms)")
    }
}
