import EventDelivery
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
        do { return evaluate(try database.receiverStates(), now: Platform.system.now()) } catch {
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

/// Connects to a receiver of events. It gets no request.
struct ReceiverCheck: Check {
    let receiver: EventReceiver
    /// The receiver's file, for advice; nil for that of `EVENTS_URL`.
    let file: String?
    let isOffline: Bool

    var subject: String { "receiver \(receiver.name)" }

    func run() -> [Finding] {
        if isOffline { return [.note("not checked: --offline")] }
        do throws(ReceiverFault) {
            try receiver.probe()
            return [.ok("it can be reached; whether it accepts the secret shows with the first event")]
        } catch {
            return [evaluate(error)]
        }
    }

    func evaluate(_ fault: ReceiverFault) -> Finding {
        switch fault {
        case .privateAddress:
            let permission =
                file.map { "set PRIVATE_ADDRESSES=permitted in \($0.shellQuoted)" }
                ?? "move it to a file in RECEIVERS_DIR that has PRIVATE_ADDRESSES=permitted"
            return .fault(
                "the name in \(setting) has a private address, so no event is sent to it",
                "if the receiver is in your own network, \(permission); if not, correct the name or its DNS records")
        case .publicAddress:
            return .fault(
                "the name in \(setting) has a public address, and http goes to private ones only: no event is sent to it",
                "set an https URL as \(place)")
        case .name(let text):
            return .fault("its name cannot be resolved: \(text)", "correct \(place), or check the DNS of this machine")
        case .security(let text):
            return .fault(
                "it has no valid certificate: \(text)",
                "give the receiver a certificate for the name in \(place); curl -v shows what is wrong")
        case .unreachable(let text):
            return .fault("it cannot be reached: \(text)", "correct \(place), or check ip route and firewalls")
        case .timeout:
            return .fault("it did not answer in time", "correct \(place), or check ip route and firewalls")
        }
    }

    private var setting: String { file == nil ? "EVENTS_URL" : "URL" }

    private var place: String { setting + (file.map { " in \($0.shellQuoted)" } ?? "") }
}
