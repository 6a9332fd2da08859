package import Gatehouse

/// What an operator should know of a PostgreSQL server that is used by Gatehouse.
package struct PostgreSQLFacts: Sendable, Equatable {
    /// The primary, as libpq names it.
    package var address = ""
    package var isEncrypted = false
    /// The server is on this machine, or has proven its identity with its certificate.
    package var isProtected = true
    /// When the server's certificate ends; nil if it has presented none.
    package var certificateEnd: Timestamp?
    /// As in `server_version_num`: 150018 is version 15.18.
    package var version = 0
    package var encoding = "UTF8"
    package var privileges = Privileges()
    package var durability = Durability()
    package var upkeep = Upkeep()
    package var connections = Connections()
    /// Between this program and the server is a pooler that gives each transaction another session.
    package var isPooled = false
    /// How far the clock of the server is ahead of this machine's.
    package var clockLead = Duration.zero
    /// The oldest transaction with changes that is open for more than a minute.
    package var oldTransaction: OldTransaction?

    package init() {}

    /// What the user of the connection may do.
    package struct Privileges: Sendable, Equatable {
        package var user = ""
        package var isSuperuser = false
        /// Every user of the server may connect to the database, and hold its locks.
        package var isOpenToPublic = false
        /// The schema in which tables are created; nil if the user may use none of the search path.
        package var schema: String? = "public"
        package var canCreate = true
        package var ownsTables = true
        /// The tables that the user may not read and write.
        package var deniedTables: [String] = []
    }

    /// Maintenance of the database that an administrator has turned off.
    package struct Upkeep: Sendable, Equatable {
        package var disabledTriggers: [String] = []
        package var isAutovacuumOn = true
        /// The tables that autovacuum leaves out.
        package var unvacuumedTables: [String] = []
    }

    /// What a failure of the primary, its machine or its disk loses.
    package struct Durability: Sendable, Equatable {
        package var isFlushed = true
        package var writesFullPages = true
        package var synchronousCommit = "on"
        package var synchronousStandbyNames = ""
        /// The streaming standbys; nil if the user may not read that.
        package var standbys: Int?
        package var synchronousStandbys: Int?
        package var isArchiving = false
        /// The last attempt to archive a file of the write-ahead log failed.
        package var isArchiveFailing = false
        /// The time since the last base backup of the primary ended; nil if it has no record of one, or the user may
        /// not read it.
        package var baseBackupAge: Duration?
    }

    package struct Connections: Sendable, Equatable {
        /// The lowest limit of the server, the database and the user, without those reserved for administrators.
        package var limit = 100
        package var inUse = 0
        /// After this time the server closes an idle connection; zero if it does not.
        package var idleTimeout = Duration.zero
    }

    package struct OldTransaction: Sendable, Equatable {
        package var process: Int
        package var age: Duration

        package init(process: Int, age: Duration) {
            self.process = process
            self.age = age
        }
    }
}
