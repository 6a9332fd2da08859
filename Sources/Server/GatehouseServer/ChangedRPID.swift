import Gatehouse
import GatehouseStore

/// The passkeys in the database belong to another RP id than the configured one: no browser and no phone would offer them.
package struct ChangedRPID: Error, Sendable {
    /// The one of the passkeys.
    let kept: String

    /// Follows the name of the setting.
    var reason: String {
        "is not \(kept), to which the passkeys in the database belong: with another one, their users could not sign in"
    }

    /// What is wrong, and what to do.
    package var description: String { "\(Settings.table.passkeys.rpID.name) \(reason); \(Self.advice(keeping: kept))" }

    package static func advice(keeping rpID: String) -> String {
        "keep \(rpID), and add the origins of another domain to \(Settings.table.passkeys.origins.name) (Passkeys.md, A changed "
            + "RP id)"
    }
}

extension ServerStore {
    /// Nil if passkeys are off, or if those in the database belong to the configured RP id, which is kept then.
    func changedRPID(_ policy: Policy, now: Timestamp) throws(StoreFailure) -> ChangedRPID? {
        guard let rpID = policy.passkeys?.rpID else { return nil }
        return try adopt(rpID: rpID, now: now).map { ChangedRPID(kept: $0) }
    }
}
