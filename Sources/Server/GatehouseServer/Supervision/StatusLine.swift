import Gatehouse

/// The status line that `systemctl status` shows: rates and faults.
struct StatusLine {
    struct Facts {
        var answered: Int
        var failed: Int
        var connections: Int
        /// Nil if there are no keys.
        var keySetAge: Duration?
        /// The fault that makes the server not ready; nil if there is none.
        var notReadyReason: String?
        /// The fault of the last reload; nil if it succeeded.
        var refusal: String?
    }

    private var last: (facts: Facts, moment: ContinuousClock.Instant)?
    private var failedAt: ContinuousClock.Instant?

    /// The rate is since the previous line. Failures are counted since the start, so that an operator sees them later.
    mutating func text(_ facts: Facts, at moment: ContinuousClock.Instant) -> String {
        defer { last = (facts, moment) }
        let seconds = last.map { max(0.001, $0.moment.duration(to: moment) / .seconds(1)) } ?? .infinity
        let answered = Double(facts.answered - (last?.facts.answered ?? 0)) / seconds
        if facts.failed > (last?.facts.failed ?? 0) { failedAt = moment }
        let connections = facts.connections == 1 ? "1 connection" : "\(facts.connections) connections"
        let keys = facts.keySetAge.map { "Apple's keys \($0.abbreviated) old" } ?? "no keys of Apple"
        let line = "\(Self.rate(answered)) requests/s, \(failures(facts, at: moment)); \(connections); \(keys)"
        let faults = [facts.notReadyReason.map { "NOT READY: \($0)" }, facts.refusal].compactMap { $0 }
        return (faults + [line]).joined(separator: "; ")
    }

    private func failures(_ facts: Facts, at moment: ContinuousClock.Instant) -> String {
        guard let failedAt else { return "none failed" }
        return "\(facts.failed) failed, the last \(failedAt.duration(to: moment).abbreviated) ago"
    }

    /// A small rate has a decimal, and one above zero is never written as 0.
    static func rate(_ rate: Double) -> String {
        switch rate {
        case ...0: "0"
        case ..<0.1: "<0.1"
        case ..<9.95: "\((rate * 10).rounded() / 10)"
        default: "\(Int(rate.rounded()))"
        }
    }
}
