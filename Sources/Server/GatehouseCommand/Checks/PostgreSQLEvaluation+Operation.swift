import GatehouseStore

extension PostgreSQLEvaluation {
    /// What a failure of the primary, its machine or its disk loses.
    var durability: [Finding] {
        let found = facts.durability
        let change = "then SELECT pg_reload_conf()"
        var findings: [Finding] = []
        if !found.isFlushed {
            findings.append(
                .fault("fsync is off: a crash of its machine can destroy the database", "fsync = on, \(change)"))
        }
        if !found.writesFullPages {
            findings.append(
                .fault(
                    "full_page_writes is off: a crash of its machine can damage the database",
                    "full_page_writes = on, \(change)"))
        }
        if found.synchronousCommit == "off" {
            findings.append(
                .fault(
                    "synchronous_commit is off: a crash loses refreshes that were answered, and signs those users out",
                    "synchronous_commit = on, also for the database and the user (ALTER … RESET), \(change)"))
        }
        return findings + [standbys(found)]
    }

    private func standbys(_ found: PostgreSQLFacts.Durability) -> Finding {
        let loss = "a failover can lose refreshes that were answered, and sign those users out"
        guard !found.synchronousStandbyNames.isEmpty, found.synchronousCommit != "off" else {
            return .note(
                "no standby is synchronous: \(loss)",
                "synchronous_standby_names; with Patroni: synchronous_mode: true")
        }
        guard found.synchronousCommit != "local" else {
            return .note(
                "synchronous_commit is local, so no commit waits for a standby: \(loss)", "synchronous_commit = on")
        }
        guard let all = found.standbys, let synchronous = found.synchronousStandbys else {
            return .ok(
                "commits wait for a standby; whether one streams is not known: GRANT pg_monitor TO \(facts.privileges.user)"
            )
        }
        guard synchronous > 0 else {
            return .fault(
                "commits wait for a synchronous standby, and none streams: every login and refresh fails",
                "start the standby, or set synchronous_standby_names to '' (with Patroni: synchronous_mode_strict: false)"
            )
        }
        return .ok("commits wait for a standby: \(synchronous) of \(all) can confirm them")
    }

    var upkeep: [Finding] {
        let found = facts.upkeep
        var findings: [Finding] = []
        if !found.disabledTriggers.isEmpty {
            let names = found.disabledTriggers.joined(separator: ", ")
            findings.append(
                .fault(
                    "triggers are disabled: \(names); what they write is missing since then",
                    "as the owner: ALTER TABLE … ENABLE TRIGGER ALL, then restart every node"))
        }
        if !found.isAutovacuumOn {
            findings.append(
                .fault(
                    "autovacuum is off: the tables grow without end, and every query becomes slower",
                    "autovacuum = on, then SELECT pg_reload_conf()"))
        }
        if !found.unvacuumedTables.isEmpty {
            findings.append(
                .fault(
                    "autovacuum leaves out: \(found.unvacuumedTables.joined(separator: ", "))",
                    "as the owner: ALTER TABLE … RESET (autovacuum_enabled)"))
        }
        return findings
    }

    var connections: [Finding] {
        guard !facts.isPooled else { return [] }
        let (found, need) = (facts.connections, settings.connections + 3)
        let count = "\(found.limit) connections are allowed, \(found.inUse) are open; a node opens at most \(need)"
        let advice = "max_connections, the limits of the database and of the user; or fewer DATABASE_CONNECTIONS"
        let idle = found.idleTimeout == .zero ? [] : [idleTimeout(found.idleTimeout)]
        if found.limit < need { return [.fault(count, advice)] + idle }
        // Room for two nodes and the commands of operators, also during a restart.
        if found.limit < need * 2 { return [.note(count + ": not enough for two nodes", advice)] + idle }
        return [.ok(count + ": enough for \(found.limit / need) nodes")] + idle
    }

    private func idleTimeout(_ time: Duration) -> Finding {
        .note(
            "idle_session_timeout closes a connection that was idle for \(time.inMilliseconds) ms: a request opens another",
            "ALTER ROLE \(facts.privileges.user) SET idle_session_timeout = 0")
    }

    var pooler: Finding? {
        guard facts.isPooled else { return nil }
        return .note(
            "between this machine and the server is a pooler, through which no notification comes: a session that another "
                + "node has ended is refused after up to 2 s",
            "to have it within 100 ms, connect DATABASE_URL to the server itself")
    }

    /// Entries of the log of revocations are read again until every older transaction has ended.
    var transactions: Finding? {
        guard let old = facts.oldTransaction else { return nil }
        return .note(
            "a transaction with changes has been open for \(old.age.components.seconds) s: meanwhile the nodes read every "
                + "later revocation again each second, and no table is vacuumed",
            "find its cause, or end it: SELECT pg_terminate_backend(\(old.process))")
    }

    /// A base backup each week, and a day of delay.
    private static let longestBaseBackupAge = Duration.seconds(8 * 86_400)

    private func baseBackup(_ age: Duration?) -> Finding {
        guard let age else {
            return .note(
                "the write-ahead log is archived; the primary has no record of a base backup",
                "pg_basebackup (Backups.md: PostgreSQL); one of a standby is not known here")
        }
        let days = age.components.seconds / 86_400
        guard age > Self.longestBaseBackupAge else {
            return .ok("the write-ahead log is archived; the last base backup ended \(days) days ago")
        }
        return .note(
            "the last base backup of the primary ended \(days) days ago: a restore has to replay the archive since then",
            "pg_basebackup (Backups.md: PostgreSQL)")
    }

    func backups(timer: UnitStatus?) -> [Finding] {
        let found = facts.durability
        var findings: [Finding] = []
        if found.isArchiveFailing {
            findings.append(
                .fault(
                    "the write-ahead log cannot be archived: backups cannot be restored to a later time, and its disk fills",
                    "SELECT * FROM pg_stat_archiver; the log of the server has the output of archive_command"))
        } else if found.isArchiving {
            findings.append(baseBackup(found.baseBackupAge))
        } else {
            findings.append(
                .note(
                    "the write-ahead log is not archived by archive_mode: without an archive, only the last base backup can "
                        + "be restored", "see Backups.md: PostgreSQL"))
        }
        if timer.map({ $0.isActive || $0.isEnabled }) ?? false {
            findings.append(
                .note(
                    "\(Units.timer) backs up a database in a file, and this one is on a server",
                    "systemctl disable --now \(Units.timer)"))
        }
        return findings
    }
}
