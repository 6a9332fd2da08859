import Synchronization

/// A key that the sender of a request has proven to have, and the single use of that proof.
package struct ProvenKey: Sendable, Equatable {
    package let thumbprint: String
    package let use: ProofUse

    package init(thumbprint: String, use: ProofUse) {
        (self.thumbprint, self.use) = (thumbprint, use)
    }
}

/// The use of a proof by a request. nginx may send one request to a second node when the first does not answer: that is
/// the same use, and the request has the same id. nginx makes the id, so a client cannot choose it.
package struct ProofUse: Sendable, Equatable {
    /// SHA-256 of the key and the proof's id.
    package let proof: [UInt8]
    /// SHA-256 of the request's id.
    package let request: [UInt8]
    package let issuedAt: Timestamp
    /// The time of the second clock while it differs from this machine's: the proof may be right by either.
    package let otherTime: Timestamp?

    package init(proof: [UInt8], request: [UInt8], issuedAt: Timestamp, otherTime: Timestamp? = nil) {
        (self.proof, self.request, self.issuedAt, self.otherTime) = (proof, request, issuedAt, otherTime)
    }

    /// How long a proof is remembered: it is then too old everywhere, also by the clock of another node that gets requests.
    static let retention = DPoPPolicy.window * 2 + ClockAgreement.readinessLimit

    package var expiresAt: Timestamp { issuedAt + Self.retention }
}

/// The proofs that requests for a session have used, for as long as they could be sent again. They are part of the
/// session's row, which nothing else changes while a request is decided.
///
/// Example: a phone refreshes and changes its profile. The row has two entries for seven minutes, and none after the next
/// request that comes later.
package struct UsedProofs: Sendable, Equatable {
    struct Entry: Sendable, Equatable {
        let proof: [UInt8]
        let request: [UInt8]
        let issuedAt: Timestamp
    }

    /// More are used only by a client that sends requests faster than a person can cause them.
    package static let limit = 64

    private(set) var entries: [Entry]
    /// The high-water mark of the entries that were dropped because there were too many. Proofs issued until then are
    /// refused, because one of them may be a dropped one.
    private(set) var forgottenUntil: Timestamp?

    package init() {
        entries = []
    }

    /// Adds a use. False if another request has used the proof.
    mutating func insert(_ use: ProofUse, at now: Timestamp) -> Bool {
        let entry = Entry(use)
        if let known = entries.first(where: { $0.proof == entry.proof }) { return known.request == entry.request }
        let times = min(now, use.otherTime ?? now)...max(now, use.otherTime ?? now)
        entries.removeAll { !Self.isCurrent($0.issuedAt, at: times) }
        if let forgotten = forgottenUntil, !Self.isCurrent(forgotten, at: times) { forgottenUntil = nil }
        if let forgottenUntil, use.issuedAt <= forgottenUntil { return false }
        if entries.count >= Self.limit, let oldest = entries.map(\.issuedAt).min() {
            entries.removeAll { $0.issuedAt <= oldest }
            forgottenUntil = max(oldest, forgottenUntil ?? oldest)
            guard use.issuedAt > oldest else { return false }
        }
        entries.append(entry)
        return true
    }

    /// Whether a proof issued at this time can be accepted now, or later by the clock that is behind. A proof from far
    /// ahead was accepted while a clock was wrong: once that clock is right again, the proof must not make `insert`
    /// refuse later ones.
    ///
    /// - Parameter times: from the clock that is behind to the one that is ahead.
    private static func isCurrent(_ moment: Timestamp, at times: ClosedRange<Timestamp>) -> Bool {
        times.lowerBound <= moment + ProofUse.retention && moment <= times.upperBound + ProofUse.retention
    }
}

extension UsedProofs.Entry {
    static let proofBytes = 16
    static let requestBytes = 8

    /// The beginnings of the hashes are enough to tell a few apart.
    fileprivate init(_ use: ProofUse) {
        self.init(
            proof: Array(use.proof.prefix(Self.proofBytes)), request: Array(use.request.prefix(Self.requestBytes)),
            issuedAt: use.issuedAt)
    }
}

/// As the row has them: the time in `forgottenUntil` or 0, then each proof's hash, its request's hash and its time of issue.
/// Times are milliseconds in eight bytes.
extension UsedProofs {
    private static let entryBytes = Entry.proofBytes + Entry.requestBytes + 8

    /// Nil if there is nothing to remember.
    package var bytes: [UInt8]? {
        guard !entries.isEmpty || forgottenUntil != nil else { return nil }
        return Self.bytes(of: forgottenUntil?.milliseconds ?? 0)
            + entries.flatMap { $0.proof + $0.request + Self.bytes(of: $0.issuedAt.milliseconds) }
    }

    /// Bytes of another form are no memory: an older proof might then be used again once.
    package init(bytes: [UInt8]) {
        self.init()
        guard bytes.count >= 8, (bytes.count - 8) % Self.entryBytes == 0 else { return }
        let forgotten = Self.number(bytes[..<8])
        forgottenUntil = forgotten == 0 ? nil : Timestamp(milliseconds: forgotten)
        entries = stride(from: 8, to: bytes.count, by: Self.entryBytes).map { start in
            let (request, time) = (start + Entry.proofBytes, start + Entry.proofBytes + Entry.requestBytes)
            return Entry(
                proof: Array(bytes[start..<request]), request: Array(bytes[request..<time]),
                issuedAt: Timestamp(milliseconds: Self.number(bytes[time..<time + 8])))
        }
    }

    private static func bytes(of number: Int64) -> [UInt8] {
        (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 { bytes.reduce(0) { $0 << 8 | Int64($1) } }
}

/// The proofs that requests without a write have used, in this process only: those at the guard, which reads no database, and
/// repeated refreshes while the database cannot be written.
///
/// Two sets take turns: after the longest time for which a proof can be accepted, the older one is dropped. A clock that is set
/// back drops none: what it accepted before may be right again.
final class ProofMemory: Sendable {
    private struct Memory {
        /// By proof, the request that has used it.
        var recent: [UInt64: UInt64] = [:]
        var earlier: [UInt64: UInt64] = [:]
        var startedAt: Timestamp
    }

    /// With more, the earlier set is dropped before its proofs have expired, so that the two sets take at most 50 MiB. To
    /// reach the limit, a client with a bound session must send 3,000 valid proofs a second.
    private static let limit = 500_000

    private let memory: Mutex<Memory>

    init(now: Timestamp) {
        memory = Mutex(Memory(startedAt: now))
    }

    /// False if another request has used the proof.
    func insert(_ use: ProofUse, at now: Timestamp) -> Bool {
        let (proof, request) = (Self.number(use.proof), Self.number(use.request))
        return memory.withLock { memory in
            // A proof that is right by one of two clocks is right again when the other one says that time.
            let difference = now.duration(to: use.otherTime ?? now).magnitude
            let isOver = now > memory.startedAt + ProofUse.retention + difference
            if isOver || memory.recent.count >= Self.limit {
                (memory.earlier, memory.recent, memory.startedAt) = (memory.recent, [:], now)
            }
            if let known = memory.recent[proof] ?? memory.earlier[proof] { return known == request }
            memory.recent[proof] = request
            return true
        }
    }

    /// The last bytes of the hash.
    private static func number(_ hash: [UInt8]) -> UInt64 { hash.suffix(8).reduce(0) { $0 << 8 | UInt64($1) } }
}
