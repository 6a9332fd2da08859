import Gatehouse
import SQLite

extension Connection {
    enum Redeemed {
        case fresh
        /// The same again, by whoever missed the answer.
        case repeated
        case replayed
        case usedNonce
    }

    /// What using up a token and its nonce would come to.
    func judge(_ redemption: Redemption) throws(SQLiteError) -> Redeemed {
        if let nonce = redemption.nonceHash, let first = try redeemed(nonce), first.token != redemption.tokenHash {
            return .usedNonce
        }
        guard let first = try redeemed(redemption.tokenHash) else { return .fresh }
        // Without a grace nothing comes again, in the same millisecond neither.
        let isInTime =
            !first.isClosed && redemption.grace > .zero && redemption.moment <= first.moment + redemption.grace
        return isInTime ? .repeated : .replayed
    }

    /// Uses up a token and its nonce. What comes again keeps the moment of the first time.
    func remember(_ redemption: Redemption) throws(SQLiteError) {
        try remember(redemption.tokenHash, redemption)
        if let nonce = redemption.nonceHash { try remember(nonce, redemption) }
    }

    private func redeemed(_ hash: [UInt8]) throws(SQLiteError) -> (token: [UInt8], moment: Timestamp, isClosed: Bool)? {
        try first("SELECT token_hash, moment, closed FROM redemptions WHERE hash = ?", .blob(hash)) { row in
            (row.blob(0), Timestamp(milliseconds: row.integer(1)), row.integer(2) != 0)
        }
    }

    private func remember(_ hash: [UInt8], _ redemption: Redemption) throws(SQLiteError) {
        try run(
            """
            INSERT INTO redemptions (hash, token_hash, moment, expires_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (hash) DO NOTHING
            """,
            .blob(hash), .blob(redemption.tokenHash), .integer(redemption.moment.milliseconds),
            .integer(redemption.expiresAt.milliseconds))
    }
}
