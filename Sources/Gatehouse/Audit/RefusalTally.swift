/// Refused logins and refreshes on their way to the audit trail.
///
/// Whoever sends rubbish decides how much of it there is, and must not decide how much is written to the disk. So what
/// is alike becomes one entry with a count, and entries are written at a pace of our own: whole at first, then few.
/// A pure value; whoever holds it writes what it gives.
struct RefusalTally: Sendable {
    /// What makes two refusals alike.
    private struct Likeness: Hashable {
        let kind: AuditEvent.Kind
        let detail: String?
        let userID: UserID?
        let address: String?
    }

    private static let mostWaiting = 128
    private static let largestAllowance = 64
    /// Beyond the allowance: 8,640 entries a day at most.
    private static let pace = Duration.seconds(10)

    private var waiting: [Likeness: AuditEvent] = [:]
    private var order: [Likeness] = []
    private var allowance = largestAllowance
    private var lastGrant: Timestamp

    init(now: Timestamp) {
        lastGrant = now
    }

    mutating func add(_ event: AuditEvent) {
        var likeness = Likeness(
            kind: event.kind, detail: event.detail, userID: event.userID, address: event.device.address)
        var event = event
        if waiting[likeness] == nil, order.count >= Self.mostWaiting {
            // Too many to tell apart: what is left is how many there were, of which kind.
            likeness = Likeness(kind: event.kind, detail: nil, userID: nil, address: nil)
            event = AuditEvent(event.kind, at: event.moment)
        }
        if waiting[likeness] == nil {
            order.append(likeness)
            waiting[likeness] = event
        } else {
            waiting[likeness]?.count += 1
        }
    }

    /// What may be written by now: those first that name a user, and then the longest waiting.
    mutating func take(now: Timestamp) -> [AuditEvent] {
        grant(now)
        let count = min(allowance, order.count)
        allowance -= count
        order = order.filter { $0.userID != nil } + order.filter { $0.userID == nil }
        return remove(count)
    }

    /// All that waits, for whoever will not come back. It is never much.
    mutating func takeAll() -> [AuditEvent] { remove(order.count) }

    private mutating func remove(_ count: Int) -> [AuditEvent] {
        let taken = order.prefix(count).compactMap { waiting.removeValue(forKey: $0) }
        order.removeFirst(count)
        return taken
    }

    private mutating func grant(_ now: Timestamp) {
        let since = now.milliseconds - lastGrant.milliseconds
        // A clock that was set back starts the count anew.
        guard since >= 0 else {
            lastGrant = now
            return
        }
        let grants = since / Self.pace.milliseconds
        allowance = Int(min(Int64(Self.largestAllowance), Int64(allowance) + grants))
        lastGrant = lastGrant + Self.pace * Int(min(grants, 1 << 20))
    }
}
