extension Gatekeeper {
    /// What is to be done every second, whoever asks for what. True where there is more to do right away.
    package func keepHouse() throws(StoreFailure) -> Bool {
        try revocations.catchUp()
        let now = world.now()
        try writeRefusals(now: now)
        return try store.purge(
            PurgeLimits(
                // A minute later than the token itself says, so that its last use is still told what it is.
                sessionsExpired: now - .seconds(60), redemptionsExpired: now - .seconds(300),
                revocationsBefore: now - Policy.revocationMemory,
                auditEventsBefore: now - policy.auditRetention))
    }

    /// Enters into the audit trail who has been refused since the last time.
    package func writeRefusals() throws(StoreFailure) {
        try writeRefusals(now: world.now())
    }

    private func writeRefusals(now: Timestamp) throws(StoreFailure) {
        let events = refusals.take(now: now)
        if !events.isEmpty { try store.note(events) }
    }
}
