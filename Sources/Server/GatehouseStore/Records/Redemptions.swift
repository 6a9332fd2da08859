import Gatehouse
import SQL

enum RedemptionState {
    case fresh
    /// The same token again, within the grace, by a client that did not receive the answer.
    case repeated
    case replayed
    case usedNonce
}

extension RecordConnection {
    /// Whether a token and its nonce may be redeemed.
    func state(of redemption: Redemption) throws -> RedemptionState {
        if let nonce = redemption.nonceHash, let first = try redeemed(nonce), first.token != redemption.tokenHash {
            return .usedNonce
        }
        guard let first = try redeemed(redemption.tokenHash) else { return .fresh }
        // Without a grace, nothing may be repeated, not even in the same millisecond.
        let isInTime =
            !first.isClosed && redemption.grace > .zero && redemption.moment <= first.moment + redemption.grace
            // A time in the future was written by a wrong clock. It must not make the grace longer.
            && first.moment <= redemption.moment + ClockAgreement.tolerance
        return isInTime ? .repeated : .replayed
    }

    /// Marks a token and its nonce as redeemed. A repeat keeps the time of the first redemption.
    func markRedeemed(_ redemption: Redemption) throws {
        try markRedeemed(redemption.tokenHash, by: redemption)
        if let nonce = redemption.nonceHash { try markRedeemed(nonce, by: redemption) }
    }

    private func redeemed(_ hash: [UInt8]) throws -> (token: [UInt8], moment: Timestamp, isClosed: Bool)? {
        try first("SELECT token_hash, moment, closed FROM redemptions WHERE hash = ?", .blob(hash)) { row in
            (row.blob(0), row.timestamp(1), row.integer(2) != 0)
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
