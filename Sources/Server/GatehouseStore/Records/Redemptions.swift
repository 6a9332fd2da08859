import Gatehouse
import SQL

extension RecordConnection {
    /// Reads the first redemptions of the token and the nonce, and decides. A login without a redemption is a first use.
    func use(of redemption: Redemption?) throws -> Redemption.Use {
        guard let redemption else { return .first }
        return redemption.use(
            token: try earlier(redemption.tokenHash), nonce: try redemption.nonceHash.flatMap(earlier))
    }

    /// Marks a token and its nonce as redeemed. A repeat keeps the time of the first redemption.
    func markRedeemed(_ redemption: Redemption) throws {
        try markRedeemed(redemption.tokenHash, by: redemption)
        if let nonce = redemption.nonceHash { try markRedeemed(nonce, by: redemption) }
    }

    private func earlier(_ hash: [UInt8]) throws -> Redemption.Earlier? {
        try first("SELECT token_hash, moment, closed FROM redemptions WHERE hash = ?", .blob(hash)) { row in
            Redemption.Earlier(tokenHash: row.blob(0), moment: row.timestamp(1), isClosed: row.integer(2) != 0)
        }
    }

    private func markRedeemed(_ hash: [UInt8], by redemption: Redemption) throws {
        try send(
            """
            INSERT INTO redemptions (hash, token_hash, moment, expires_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (hash) DO NOTHING
            """,
            .blob(hash), .blob(redemption.tokenHash), .integer(redemption.moment.milliseconds),
            .integer(redemption.expiresAt.milliseconds))
    }
}
