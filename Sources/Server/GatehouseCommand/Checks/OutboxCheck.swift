import Gatehouse
import GatehouseServer
import GatehouseStore

/// Whether the receivers of events have been told what happened.
struct OutboxCheck: Check {
    /// An older event is worth a note.
    static let usualAge = Duration.seconds(600)

    let subject = "events"
    /// Nil if this user cannot read it.
    let database: (any ExaminedDatabase)?
    /// The names of the receivers in the settings; nil if those have a fault.
    let configured: [String]?

    /// False if there are no receivers, neither in the settings nor in the database.
    var isNeeded: Bool {
        if configured?.isEmpty == false { return true }
        return (try? database?.receiverStates().isEmpty) == false
    }

    func run() -> [Finding] {
        guard let database else { return [.note("not checked: no database that this user can read")] }
        do { return evaluate(try database.receiverStates(), now: Primitives.system.now()) } catch {
            return [.note("not checked: \(error)", "see database and schema above")]
        }
    }

    func evaluate(_ states: [ReceiverState], now: Timestamp) -> [Finding] {
        let known = Set(states.map(\.subscription.name))
        let missing: [Finding] = (configured ?? []).filter { !known.contains($0) }.map { name in
            .note(
                "\(name): no server has registered it yet, so nothing is queued for it",
                "systemctl reload gatehouse, or start the server")
        }
        let findings = states.flatMap { self.findings(about: $0, now: now) } + missing
        return findings.isEmpty ? [.ok("nothing waits")] : findings
    }

    private func findings(about state: ReceiverState, now: Timestamp) -> [Finding] {
        if state.stoppedAt != nil { return [stopped(state)] }
        return [waiting(state, now: now), dead(state)].compactMap { $0 }
    }

    private func stopped(_ state: ReceiverState) -> Finding {
        let name = state.subscription.name
        return .fault(
            "\(name): it has answered that it wants no more events; \(state.waiting) wait for it",
            "if it should get them: gatehouse events resume \(name); if not, remove its settings")
    }

    private func waiting(_ state: ReceiverState, now: Timestamp) -> Finding? {
        let name = state.subscription.name
        if let configured, !configured.contains(name) {
            return .note(
                "\(name): it is not in the settings of this node; \(state.waiting) events wait for it",
                "if no node has it any more: gatehouse events forget \(name)")
        }
        guard let oldest = state.oldest, oldest + Self.usualAge < now else { return nil }
        return .fault(
            "\(name): \(state.waiting) events wait, the oldest since \(oldest)",
            "gatehouse events list --receiver \(name) has the reason; the receiver's own log may have more")
    }

    private func dead(_ state: ReceiverState) -> Finding? {
        guard state.dead > 0 else { return nil }
        let selection = "--dead --receiver \(state.subscription.name)"
        return .note(
            "\(state.subscription.name): \(state.dead) events were given up after three days",
            "when the receiver works again: gatehouse events retry \(selection); if it shall not have them: "
                + "gatehouse events discard \(selection)")
    }
}
