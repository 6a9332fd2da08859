import Synchronization

/// Compares the clock of this machine with a second one: the database's, if it has a clock. Otherwise the second clock
/// is the last known time plus the uptime since, or the clock of another server.
///
/// The node's clock is trusted only while both agree. Which of two clocks is wrong is not known here, so requests go on.
package final class Clocks: Sendable {
    private struct State {
        var agreement = ClockAgreement.agrees
        /// What the second clock said, and when.
        var second: KnownTime?
        /// What other servers said.
        var authorities: [String: KnownTime] = [:]
        /// What the other nodes say about the database's clock.
        var others: [Duration] = []
        /// When `others` was read and the own lead was written.
        var reportedAt: Duration?
        var keptAt: Duration?
    }

    /// How often this node reports to the other nodes how far its clock is from the database's.
    private static let reportInterval = Duration.seconds(10)
    /// How often the time is stored in a database without a clock. While the machine runs, storing it once would be
    /// enough.
    private static let keepInterval = Duration.seconds(300)

    private let store: any Store
    private let now: @Sendable () -> Timestamp
    private let uptime: @Sendable () -> Duration
    private let report: @Sendable (ClockAgreement) -> Void
    private let node: String
    private let state = Mutex(State())
    private let hasDoubt = Atomic(false)

    /// Compares the clocks for the first time, before anything is written by a clock that may be wrong.
    ///
    /// - Parameters:
    ///   - node: an id of this process.
    ///   - report: called when the result of the comparison changes.
    package init(
        store: any Store, platform: Platform, node: String,
        report: @escaping @Sendable (ClockAgreement) -> Void = { _ in }
    ) throws(Refusal) {
        self.store = store
        now = platform.now
        uptime = platform.uptime
        (self.node, self.report) = (node, report)
        if try store.readClock() == nil { try recall() }
        _ = try confirmedNow()
    }

    package var agreement: ClockAgreement { state.withLock { $0.agreement } }

    /// Whether the last comparison did not find two clocks that agree. Read for each guarded request.
    package var isInDoubt: Bool { hasDoubt.load(ordering: .relaxed) }

    /// Whether this node must get no requests: its clock is the wrong one.
    package var isApart: Bool { state.withLock { NodeClocks.isApart($0.agreement, others: $0.others) } }

    /// Takes the time that another server, such as Apple's, has reported.
    package func note(_ moment: Timestamp, by server: String) {
        let known = KnownTime(moment: moment, uptime: uptime())
        state.withLock { $0.authorities[server] = known }
    }

    /// The time of the second clock, if it does not agree with the clock of this machine. It costs little, so each
    /// refresh may ask for it.
    package func otherTime(at now: Timestamp) -> Timestamp? {
        let uptime = uptime()
        let reading = state.withLock { $0.second?.reading(now: now, uptime: uptime) }
        guard let reading, reading.lead.magnitude > ClockAgreement.tolerance else { return nil }
        // After a restart of the machine, the last known time is only a lower bound. It is of use only if this
        // machine's clock is behind it.
        if reading.isLowerBound, reading.lead > .zero { return nil }
        return now - reading.lead
    }

    /// The time, if two clocks agree on it; otherwise nil, and nothing may be deleted for its age.
    package func confirmedNow() throws(Refusal) -> Timestamp? {
        let before = now()
        let start = ContinuousClock.now
        let agreement: ClockAgreement
        if let database = try store.readClock() {
            agreement = compare(before, with: database, start.duration(to: .now))
            try exchangeReports(agreement, lead: database.duration(to: before))
        } else {
            agreement = compareWithMemory(before)
            if agreement == .agrees { keepSecond() }
        }
        return agreement == .agrees ? before : nil
    }

    /// The answer was given within the time that it took, most likely in the middle.
    private func compare(_ before: Timestamp, with database: Timestamp, _ time: Duration) -> ClockAgreement {
        let known = KnownTime(moment: database + time / 2, uptime: uptime())
        let reading = ClockReading(lead: database.duration(to: before + time / 2), uncertainty: time / 2)
        return update { state in
            let agreement = ClockAgreement.decide(authorities: [reading], memory: nil)
            // A slow answer that decides nothing does not replace an earlier one.
            if case .unconfirmed = agreement {} else { state.second = known }
            return agreement
        }
    }

    private func compareWithMemory(_ now: Timestamp) -> ClockAgreement {
        let uptime = uptime()
        return update { state in
            let authorities = state.authorities.values.map { $0.reading(now: now, uptime: uptime) }
            let agreement = ClockAgreement.decide(
                authorities: authorities, memory: state.second?.reading(now: now, uptime: uptime))
            if let authority = state.authorities.min(by: { $0.key < $1.key }) {
                state.second = authority.value
            } else if agreement == .agrees, state.second?.isContinuous(at: uptime) != true {
                state.second = KnownTime(moment: now, uptime: uptime)
            }
            return agreement
        }
    }

    private func update(_ decide: (inout State) -> ClockAgreement) -> ClockAgreement {
        let (agreement, hasChanged) = state.withLock { state in
            let last = state.agreement
            state.agreement = decide(&state)
            return (state.agreement, !state.agreement.isSame(as: last))
        }
        hasDoubt.store(agreement != .agrees, ordering: .relaxed)
        if hasChanged { report(agreement) }
        return agreement
    }
}

// MARK: - What the store keeps

extension Clocks {
    /// An empty database knows no time, and has no data to lose.
    private func recall() throws(Refusal) {
        let now = now()
        guard let known = try store.lastKnownTime() else {
            state.withLock { $0.second = KnownTime(moment: now, uptime: uptime()) }
            return
        }
        state.withLock { $0.second = known }
        // At once: from now on, this process may write later times. A full disk does not prevent a start.
        try? store.keep(known)
    }

    /// Stores the time of the second clock, not of this machine's: a clock that is too fast would pull the stored time
    /// along step by step. If it cannot be stored, the time that was stored before remains.
    private func keepSecond() {
        let uptime = uptime()
        let due: KnownTime? = state.withLock { state in
            guard state.keptAt.map({ uptime - $0 >= Self.keepInterval }) ?? true, let second = state.second,
                let since = second.uptime
            else { return nil }
            state.keptAt = uptime
            return KnownTime(moment: second.moment + (uptime - since), uptime: uptime)
        }
        if let due { try? store.keep(due) }
    }

    private func exchangeReports(_ agreement: ClockAgreement, lead: Duration) throws(Refusal) {
        let uptime = uptime()
        guard state.withLock({ $0.reportedAt.map { uptime - $0 >= Self.reportInterval } ?? true }) else { return }
        let others = try store.exchangeClockReports(lead, of: node)
        state.withLock { state in
            state.others = others
            state.reportedAt = uptime
        }
    }
}

extension KnownTime {
    fileprivate func isContinuous(at current: Duration) -> Bool { uptime.map { $0 <= current } ?? false }
}

extension ClockAgreement {
    /// Whether it is the same apart from the size of the difference, which changes all the time.
    fileprivate func isSame(as other: ClockAgreement) -> Bool {
        switch (self, other) {
        case (.agrees, .agrees), (.unconfirmed, .unconfirmed): true
        case (.differs(let lead), .differs(let last)): (lead > .zero) == (last > .zero)
        default: false
        }
    }
}
