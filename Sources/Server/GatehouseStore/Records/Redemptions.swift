import Gatehouse
import SQL

extension RecordConnection {
    /// Reads the first redemptions of the token and the nonce, and decides. A login without a redemption is a first use.
    func use(of redemption: Redemption?) throws -> Redemption.Use {
        guard let redemption else { return .first }
        return redemption.use(
            token: try earlier(redemption.tokenHash), nonce: try redemption.nonceHash.flatMap(earlier))
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
        try earlier(proof.proof).map { $0.tokenHash != proof.request } ?? false
    }

    func markUsed(_ proof: ProofUse, now: Timestamp) throws {
        try markRedeemed(proof.proof, by: proof.request, at: now, expiresAt: proof.expiresAt)
    }

    private func earlier(_ hash: [UInt8]) throws -> Redemption.Earlier? {
        try first("SELECT token_hash, moment, closed FROM redemptions WHERE hash = ?", .blob(hash)) { row in
            Redemption.Earlier(tokenHash: row.blob(0), moment: row.timestamp(1), isClosed: row.integer(2) != 0)
        }
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
