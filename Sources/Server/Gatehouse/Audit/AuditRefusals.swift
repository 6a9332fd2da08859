import Synchronization

extension AuthService {
    /// Adds a refused login or refresh to the audit trail, unless it has an entry of its own or was
    /// not caused by the client.
    func auditRefusal(
        _ refusal: Refusal, _ kind: AuditEntry.Kind, by provider: Provider? = nil, from device: Device
    ) {
        guard let reason = refusal.auditReason else { return }
        refusals.add(AuditEntry(kind, at: platform.now(), provider: provider, device: device, detail: reason))
    }

    /// Adds an attempt of a disabled user to the audit trail.
    func auditDisabledUser(
        _ user: UserID, _ kind: AuditEntry.Kind, by provider: Provider? = nil, from device: Device
    ) {
        refusals.add(
            AuditEntry(
                kind, at: platform.now(), userID: user, provider: provider, device: device,
                detail: Refusal.userDisabled.label))
    }
}

extension Refusal {
    /// Nil for refusals that the audit trail does not record here: an expired session, the server's own failures, and
    /// reuse and disabled users, which have entries of their own.
    fileprivate var auditReason: String? {
        switch self {
        case .identity, .invalidCode, .invalidDevSecret, .invalidRefreshToken, .notARefreshToken, .refreshTokenRevoked,
            .tooManyGuests:
            label
        // A wrong counter as well.
        case .passkey(let fault): fault == .counter ? nil : label
        // The end of the session has an entry of its own.
        case .invalidProof(let fault): fault == .key ? nil : label
        default: nil
        }
    }
}

/// Keeps refusals until maintenance writes them to the audit trail, so that a refused request
/// does not wait for the disk.
final class RefusalBuffer: Sendable {
    private let tally: Mutex<RefusalTally>

    init(now: Timestamp) {
        tally = Mutex(RefusalTally(now: now))
    }

    func add(_ event: AuditEntry) { tally.withLock { $0.add(event) } }

    func take(now: Timestamp) -> [AuditEntry] { tally.withLock { $0.take(now: now) } }

    func takeAll() -> [AuditEntry] { tally.withLock { $0.takeAll() } }
}

/// Refused logins and refreshes that wait for the audit trail.
///
/// Clients decide how many requests are refused, and must not decide how much is written to the disk. So equal refusals
/// become one entry with a count, and a token bucket limits the rate at which entries are written.
struct RefusalTally: Sendable {
    /// Refusals with the same key are counted in one entry.
    private struct Key: Hashable {
        let kind: AuditEntry.Kind
        let detail: String?
        let userID: UserID?
        let address: String?
    }

    private static let waitingLimit = 128
    private static let burst = 64
    /// The time between two entries after the burst: at most 8,640 entries a day.
    private static let interval = Duration.seconds(10)

    private var waiting: [Key: AuditEntry] = [:]
    private var order: [Key] = []
    private var allowance = burst
    private var lastGrant: Timestamp

    init(now: Timestamp) {
        lastGrant = now
    }

    mutating func add(_ event: AuditEntry) {
        var key = Key(kind: event.kind, detail: event.detail, userID: event.userID, address: event.device.address)
        var event = event
        if waiting[key] == nil, order.count >= Self.waitingLimit {
            // At the limit, further refusals are counted by kind only.
            key = Key(kind: event.kind, detail: nil, userID: nil, address: nil)
            event = AuditEntry(event.kind, at: event.moment)
        }
        if waiting[key] == nil {
            order.append(key)
            waiting[key] = event
        } else {
            waiting[key]?.count += 1
        }
    }

    /// The entries that may be written now: those that name a user first, then the oldest.
    mutating func take(now: Timestamp) -> [AuditEntry] {
        refill(now)
        let count = min(allowance, order.count)
        allowance -= count
        order = order.filter { $0.userID != nil } + order.filter { $0.userID == nil }
        return remove(count)
    }

    /// All entries, for a process that ends. Their number is bounded.
    mutating func takeAll() -> [AuditEntry] { remove(order.count) }

    private mutating func remove(_ count: Int) -> [AuditEntry] {
        let taken = order.prefix(count).compactMap { waiting.removeValue(forKey: $0) }
        order.removeFirst(count)
        return taken
    }

    private mutating func refill(_ now: Timestamp) {
        let since = now.milliseconds - lastGrant.milliseconds
        // After the clock was set back, the interval starts again.
        guard since >= 0 else {
            lastGrant = now
            return
        }
        let grants = since / Self.interval.milliseconds
        allowance = Int(min(Int64(Self.burst), Int64(allowance) + grants))
        lastGrant = lastGrant + Self.interval * Int(min(grants, 1 << 20))
    }
}
