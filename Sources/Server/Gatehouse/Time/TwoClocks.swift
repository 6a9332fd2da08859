// What a wrong clock must not do for good. While two clocks differ, it is not known here which of them is wrong.

extension AuthService {
    /// The time from which a session lives. By the earlier of two clocks that differ, a session could end as soon as the
    /// clock is corrected, and its client would be signed out.
    func issueTime(at now: Timestamp) -> Timestamp { max(now, clocks.otherTime(at: now) ?? now) }

    /// The decision about a refresh. Two clocks must agree on one that signs the client out; otherwise the client tries
    /// again later.
    ///
    /// - Parameter decide: decides at a given time.
    func decideByBothClocks(at now: Timestamp, _ decide: (Timestamp) -> Rotation) -> Rotation {
        let decision = decide(now)
        guard decision.isFinal, let other = clocks.otherTime(at: now), decide(other) != decision else {
            return decision
        }
        return .refuse(.storageUnavailable(StoreFailure("two clocks differ about the end of a session")))
    }
}

extension Rotation {
    /// Whether it signs the client out.
    fileprivate var isFinal: Bool {
        switch self {
        case .endForReuse, .refuse(.refreshTokenExpired): true
        default: false
        }
    }
}
