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

    /// Uses up a token and its nonce, if they are there to be used.
    func redeem(_ redemption: Redemption) throws(SQLiteError) -> Redeemed {
        let token = redemption.tokenHash
        if let nonce = redemption.nonceHash, let first = try redeemed(nonce), first.token != token {
            return .usedNonce
        }
        if let first = try redeemed(token) {
            return redemption.moment <= first.moment + redemption.grace ? .repeated : .replayed
        }
        try remember(token, redemption)
        if let nonce = redemption.nonceHash { try remember(nonce, redemption) }
        return .fresh
    }

    private func redeemed(_ hash: [UInt8]) throws(SQLiteError) -> (token: [UInt8], moment: Timestamp)? {
        try first("SELECT token_hash, moment FROM redemptions WHERE hash = ?", .blob(hash)) { row in
            (row.blob(0), Timestamp(milliseconds: row.integer(1)))
        }
    }

    private func remember(_ hash: [UInt8], _ redemption: Redemption) throws(SQLiteError) {
        try run(
            "INSERT INTO redemptions (hash, token_hash, moment, expires_at) VALUES (?, ?, ?, ?)",
            .blob(hash), .blob(redemption.tokenHash), .integer(redemption.moment.milliseconds),
            .integer(redemption.expiresAt.milliseconds))
    }
}
