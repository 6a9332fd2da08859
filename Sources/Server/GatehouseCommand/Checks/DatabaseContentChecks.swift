import FileSystem
import Gatehouse
import GatehouseStore
import POSIX

/// Whether the database is intact.
struct IntegrityCheck: Check {
    /// Larger databases are checked only with `--deep`.
    static let largest: Int64 = 1 << 30

    let subject = "integrity"
    let path: String
    let isDeep: Bool

    func run() -> [Finding] {
        // SQLite reports a log that this user may not read like a damaged one.
        let parts = ["", "-wal", "-shm"].map { path + $0 }
        guard let size = try? FileStatus(of: path).size,
            parts.allSatisfy({ File.isMissing($0) || File.isReadable($0) })
        else {
            return [.note("not checked: no database that this user can read")]
        }
        guard isDeep || size <= Self.largest else {
            return [
                .note(
                    "not checked: checking \(size.inBytes) takes long",
                    "gatehouse check --deep, when there is little load")
            ]
        }
        do { return [evaluate(try SQLiteFile(path: path).damage(deep: isDeep))] } catch {
            return [.note("not checked: \(error)", "see database and disk above")]
        }
    }

    func evaluate(_ damage: [String]) -> Finding {
        guard !damage.isEmpty else { return .ok(isDeep ? "intact, and every index is consistent" : "intact") }
        let advice =
            "systemctl stop gatehouse.socket, keep a copy of \(path)*, then gatehouse restore the last backup; dmesg | tail"
        return .fault("the database is damaged: " + damage.joined(separator: "; "), advice)
    }
}

/// Whether the database has the schema of this version.
struct SchemaCheck: Check {
    let subject = "schema"
    /// Nil if this user cannot read it.
    let database: (any ExaminedDatabase)?
    /// What DATABASE_URL names.
    let name: String
    /// Whether the server may update the schema when it starts.
    var mayMigrate = true

    func run() -> [Finding] {
        guard let database else { return [.note("not checked: no database that this user can read")] }
        do { return [evaluate(try database.schema())] } catch {
            return [.note("not checked: \(error)")]
        }
    }

    func evaluate(_ schema: SchemaState) -> Finding {
        switch schema {
        case .current: .ok("up to date")
        case .older(let found, let known) where !mayMigrate:
            .fault(
                "the database has schema \(found), this version has \(known), and the server may not update it: none starts",
                "run gatehouse migrate with the DATABASE_URL of the owner of the tables (PostgreSQL.md, Installing)")
        case .older(let found, let known):
            .note(
                "the database has schema \(found), this version has \(known): the server updates it when it starts",
                "systemctl restart gatehouse, or gatehouse migrate")
        case .newerButUsable(let found, let known):
            .note(
                "a newer version has migrated the database to schema \(found); this version has \(known), and works with it",
                "install the newer version again, on every node")
        case .newer(let found, let known):
            .fault(
                "the database has schema \(found), and this version supports only up to \(known)",
                "install the newer gatehouse again: a database cannot be downgraded")
        case .foreign: .fault("the database is not one of Gatehouse", "correct DATABASE_URL, which names \(name)")
        case .moving(let source):
            .fault(
                "a move into the database was not finished, and no server starts with it",
                "run gatehouse move --from \(source.shellQuoted) again, with this database as --to, or give it up: "
                    + "DROP TABLE gatehouse_move")
        }
    }
}

/// Whether the file system of the database has free space.
struct DiskCheck: Check {
    /// Less is a fault: the write-ahead log alone may reach this size.
    static let faultBytes: Int64 = 64 << 20
    /// Less is a note.
    static let noteBytes: Int64 = 1 << 30
    static let faultFiles: Int64 = 16
    static let noteFiles: Int64 = 1000

    let subject = "disk"
    let folder: String

    func run() -> [Finding] {
        do throws(POSIXError) { return [evaluate(try FileSystemStatus(at: folder))] } catch {
            return [.note("not checked: \(error)")]
        }
    }

    func evaluate(_ status: FileSystemStatus) -> Finding {
        let free = "\(status.freeBytes.inBytes) free at \(folder)"
        let advice = "df -h \(folder); du -xh --max-depth 1 / | sort -h; journalctl --vacuum-size=500M"
        if status.freeBytes < Self.faultBytes { return .fault("\(free): writes will fail soon", advice) }
        if let files = status.freeFiles, files < Self.noteFiles {
            let message = "only \(files) more files fit at \(folder)"
            return files < Self.faultFiles ? .fault(message, "df -i \(folder)") : .note(message, "df -i \(folder)")
        }
        return status.freeBytes < Self.noteBytes ? .note(free, advice) : .ok(free)
    }
}

extension Int64 {
    /// The size with a unit.
    var inBytes: String {
        let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
        var (value, unit) = (self, 0)
        while value >= 10_240, unit < units.count - 1 { (value, unit) = (value / 1024, unit + 1) }
        return "\(value) \(units[unit])"
    }
}
