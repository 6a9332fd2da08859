extension Gatekeeper {
    /// What is to be done every second, whoever asks for what. True where there is more to do right away.
    package func keepHouse() throws(StoreFailure) -> Bool {
        try revocations.catchUp()
        let now = world.now()
        try write(refusals.take(now: now))
        return try store.purge(
            PurgeLimits(
                // A minute later than the token itself says, so that its last use is still told what it is.
                sessionsExpired: now - .seconds(60), redemptionsExpired: now - .seconds(300),
                revocationsBefore: now - Policy.revocationMemory,
                auditEventsBefore: now - policy.auditRetention))
    }

    /// Enters into the audit trail whoever has been refused and still waits for it, before the process ends.
    package func closeHouse() throws(StoreFailure) {
        try write(refusals.takeAll())
    }

    private func write(_ refusals: [AuditEvent]) throws(StoreFailure) {
        if !refusals.isEmpty { try store.note(refusals) }
    }
}
