package import Gatehouse
import SQL

/// The columns that `Redemption.Earlier.init(row:)` reads.
let redemptionColumns = "token_hash, moment, closed"

extension RelationalStore {
    package func spend(_ redemption: Redemption) throws(Refusal) -> Bool {
        try writing { connection in
            try connection.lock(redemption, nil)
            guard try connection.use(of: redemption) == .first else { return false }
            try connection.markRedeemed(redemption)
            return true
        }
    }

    package func redeem(
        _ redemption: Redemption?, proving identity: Identity, of user: UserID
    ) throws(Refusal) -> Redemption.Use? {
        try writing { connection in
            try connection.lock(redemption, nil)
            try connection.lock(user)
            guard try connection.known(identity).known?.user.id == user else { return nil }
            let use = try connection.use(of: redemption)
            if use == .first || use == .repeated, let redemption {
                try connection.markRedeemed(redemption)
                try connection.linkReplayGrace(of: redemption, to: identity)
            }
            return use
        }
    }
}

extension RecordConnection {
    /// Reads the first redemptions of the token and the nonce, and decides. A login without a redemption is a first use.
    func use(of redemption: Redemption?) throws -> Redemption.Use {
        try redemption.use(by: earlier)
    }

    /// Marks what proved an identity as redeemed: an identity token, or a code.
    func markRedeemed(_ redemption: Redemption, by provider: Provider) throws {
        try markRedeemed(redemption)
        if provider.isProvenByCode { try markUsed(code: redemption.tokenHash) }
    }

    /// Marks a token and its nonce as redeemed. A repeat keeps the time of the first redemption.
    func markRedeemed(_ redemption: Redemption) throws {
        for hash in [redemption.tokenHash, redemption.nonceHash].compactMap(\.self) {
            try markRedeemed(
                hash, by: redemption.tokenHash, at: redemption.moment, expiresAt: redemption.expiresAt)
        }
    }

    /// Whether another request has used the proof of a login.
    func hasUsed(_ proof: ProofUse) throws -> Bool {
        try proof.isUsed(by: earlier)
    }

    func markUsed(_ proof: ProofUse, now: Timestamp) throws {
        try markRedeemed(proof.proof, by: proof.request, at: now, expiresAt: proof.expiresAt)
    }

    private func earlier(_ hash: [UInt8]) throws -> Redemption.Earlier? {
        try first(
            "SELECT \(redemptionColumns) FROM redemptions WHERE hash = ?", .blob(hash), read: Redemption.Earlier.init)
    }

    /// - Parameter owner: what may use it again: the identity token, or the request.
    private func markRedeemed(
        _ hash: [UInt8], by owner: [UInt8], at moment: Timestamp, expiresAt: Timestamp
    ) throws {
        try send(
            """
            INSERT INTO redemptions (hash, token_hash, moment, expires_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (hash) DO NOTHING
            """,
            .blob(hash), .blob(owner), .integer(moment.milliseconds), .integer(expiresAt.milliseconds))
    }
}

extension Redemption.Earlier {
    init(row: borrowing any SQLRow & ~Copyable) {
        self.init(tokenHash: row.blob(0), moment: row.timestamp(1), isClosed: row.integer(2) != 0)
    }
}

extension Redemption? {
    /// - Parameter earlier: reads the first redemption of a hash.
    func use(by earlier: ([UInt8]) throws -> Redemption.Earlier?) rethrows -> Redemption.Use {
        guard let redemption = self else { return .first }
        return redemption.use(
            token: try earlier(redemption.tokenHash), nonce: try redemption.nonceHash.flatMap(earlier))
    }
}

extension ProofUse {
    /// Whether another request has used it.
    func isUsed(by earlier: ([UInt8]) throws -> Redemption.Earlier?) rethrows -> Bool {
        try earlier(proof).map { $0.tokenHash != request } ?? false
    }
}
