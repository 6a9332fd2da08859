import Gatehouse

/// How the store fares when somebody asks.
struct StoreGauges: MetricSource {
    let store: any StoreWatch
    let now: @Sendable () -> Timestamp

    func write(to text: inout Exposition) {
        let vitals = store.vitals()
        text.begin(Family("gatehouse_store_readable", .gauge, "1 where the store has just answered, 0 where not."))
        text.sample(vitals.appleQueue == nil ? 0 : 1)
        text.begin(
            Family("gatehouse_store_commit_queue_length", .gauge, "Writes that wait for the transaction before them."))
        text.sample(vitals.waitingWrites)
        writeSizes(vitals, to: &text)
        writeAppleQueue(vitals.appleQueue ?? [], to: &text)
        text.begin(
            Family(
                "gatehouse_last_backup_timestamp_seconds", .gauge,
                "When the last good backup was made, in seconds since 1970; 0 where none is known of."))
        text.sample(vitals.backedUpAt.map { Double($0.milliseconds) / 1000 } ?? 0)
    }

    private func writeSizes(_ vitals: StoreVitals, to text: inout Exposition) {
        text.begin(Family("gatehouse_store_size_bytes", .gauge, "Length of the database's files."))
        text.sample(vitals.databaseBytes.map(Double.init), [("file", "database")])
        // Where nothing has been written since the start, there may be no log.
        text.sample(Double(vitals.logBytes ?? 0), [("file", "log")])
        text.begin(
            Family("gatehouse_store_filesystem_size_bytes", .gauge, "Of the file system that holds the database."))
        text.sample(vitals.totalBytes.map(Double.init))
        text.begin(
            Family(
                "gatehouse_store_filesystem_free_bytes", .gauge,
                "What this process may still write to the file system that holds the database."))
        text.sample(vitals.freeBytes.map(Double.init))
    }

    private func writeAppleQueue(_ queue: [AppleBacklog], to text: inout Exposition) {
        let now = now()
        text.begin(Family("gatehouse_apple_queue_length", .gauge, "What is still to be asked of Apple, by kind."))
        for backlog in queue { text.sample(backlog.count, [("kind", backlog.kind.rawValue)]) }
        text.begin(
            Family(
                "gatehouse_apple_queue_oldest_seconds", .gauge,
                "For how long the oldest of these has waited, by kind; 0 where there is none."))
        for backlog in queue {
            let age = backlog.since.map { max(0, now.milliseconds - $0.milliseconds) } ?? 0
            text.sample(Double(age) / 1000, [("kind", backlog.kind.rawValue)])
        }
    }
}
