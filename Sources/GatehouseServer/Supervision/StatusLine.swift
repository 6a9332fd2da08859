/// The line that `systemctl status` shows: rates and faults.
struct StatusLine {
    struct Facts {
        var answered: Int
        var failed: Int
        var connections: Int
        /// Nil where there are no keys.
        var keySetAge: Duration?
        /// What is wrong; nil where nothing is.
        var complaint: String?
        /// Why the settings were refused at the last reload; nil where they were not.
        var refusal: String?
    }

    private var last: (facts: Facts, moment: ContinuousClock.Instant)?

    /// Rates are those since the line before.
    mutating func text(_ facts: Facts, at moment: ContinuousClock.Instant) -> String {
        defer { last = (facts, moment) }
        let seconds = last.map { max(0.001, $0.moment.duration(to: moment) / .seconds(1)) } ?? .infinity
        let answered = Double(facts.answered - (last?.facts.answered ?? 0)) / seconds
        // One failure in a while is not to be rounded away.
        let failed = Double(facts.failed - (last?.facts.failed ?? 0)) / seconds
        let connections = facts.connections == 1 ? "1 connection" : "\(facts.connections) connections"
        let keys = facts.keySetAge.map { "Apple's keys \($0.inWords) old" } ?? "no keys of Apple's"
        let line =
            "\(Int(answered.rounded())) requests/s, \(Int(failed.rounded(.up))) failing; \(connections); \(keys)"
        let faults = [facts.complaint.map { "NOT READY: \($0)" }, facts.refusal].compactMap { $0 }
        return (faults + [line]).joined(separator: "; ")
    }
}
