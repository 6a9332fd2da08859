import FileSystem
import GatehouseStore
import POSIX

/// The owner and permissions of the database files.
struct DatabaseCheck: Check {
    let subject = "database"
    let path: String
    let accounts: UserDatabase
    /// The file that says that there was a database; nil if there is none.
    var mark: String?

    /// Nil for files that do not exist.
    struct Facts {
        var folder: FileStatus?
        var file: FileStatus?
        /// The log, its index, the lock and the revocation counter, if they exist.
        var companions: [(path: String, status: FileStatus)] = []
        var isReadOnly = false
        var isRestoreIncomplete = false
        var isMoveIncomplete = false
        /// What says that there was a database; nil if there is one, or never was.
        var evidence: String?
    }

    var folder: String { File.folder(of: path) }

    func run() -> [Finding] {
        var facts = Facts()
        do throws(POSIXError) {
            facts.folder = try Self.status(of: folder)
            facts.file = try Self.status(of: path)
            for name in ["-wal", "-shm", "-lock", "-sign"].map({ path + $0 }) {
                if let status = try Self.statusOfEntry(name) { facts.companions.append((name, status)) }
            }
        } catch {
            return [
                .note("not checked: \(accounts.current.name) lacks the permission (\(error))", "sudo gatehouse check")
            ]
        }
        facts.isReadOnly = (try? FileSystemStatus(at: folder))?.isReadOnly ?? false
        facts.isRestoreIncomplete = Restore.isInterrupted(path)
        facts.isMoveIncomplete = SQLiteStore.isMoveUnfinished(at: path)
        facts.evidence = MissingDatabase(at: path, mark: mark)?.evidence
        return evaluate(facts)
    }

    private static func status(of path: String) throws(POSIXError) -> FileStatus? {
        File.isMissing(path) ? nil : try FileStatus(of: path)
    }

    /// The status of a link itself, not of its target: no database file may be a link.
    private static func statusOfEntry(_ path: String) throws(POSIXError) -> FileStatus? {
        do throws(POSIXError) { return try FileStatus(ofEntry: path) } catch {
            guard error.isMissing else { throw error }
            return nil
        }
    }

    func evaluate(_ facts: Facts) -> [Finding] {
        guard let place = facts.folder else {
            // The units can write to another folder only after `gatehouse-database-folder` has allowed it.
            let make =
                folder != "/var/lib/gatehouse" && File.exists("/usr/sbin/gatehouse-database-folder")
                ? "gatehouse-database-folder \(folder.shellQuoted)"
                : "install -d -m 700 -o gatehouse -g gatehouse \(folder)"
            return [.fault("the folder \(folder) does not exist", "\(make), or correct DATABASE_URL")]
        }
        guard !facts.isRestoreIncomplete else {
            let message = "a restore was interrupted, and the database cannot be opened"
            return [.fault(message, "run gatehouse restore with the backup again")]
        }
        guard !facts.isMoveIncomplete else {
            let message = "a move into the database was not finished, and it cannot be opened"
            return [.fault(message, "run gatehouse move again, or give it up: rm \(path.shellQuoted)-moving*")]
        }
        guard let file = facts.file, facts.evidence == nil else { return [missing(facts.evidence)] }
        guard file.kind != .folder else {
            return [.fault("\(path) is a folder", "set DATABASE_URL to a file, such as sqlite:\(path)/gatehouse.db")]
        }
        let service = service(of: place)
        let files = [(path, file)] + facts.companions
        let findings =
            (facts.isReadOnly ? [readOnly] : []) + evaluate(place, for: service)
            + files.compactMap { evaluate($0, $1, for: service) } + evaluateOpenness(of: file)
        return findings.isEmpty ? [.ok("\(path), owner \(service.name), \(file.size.inBytes)")] : findings
    }

    private func missing(_ evidence: String?) -> Finding {
        guard let evidence else {
            let advice =
                "gatehouse serve creates an empty one; if there was one, correct DATABASE_URL or restore a backup"
            return .fault("the database \(path) does not exist", advice)
        }
        return .fault(
            "the database \(path) does not exist or is empty, but there was one (\(evidence)): no server creates another",
            "if a server runs, do not stop it: it may have \(path) and \(path)-wal open, and both are needed to save what "
                + "was written (ls -l /proc/$(systemctl show -P MainPID gatehouse)/fd; Backups.md, A database that was "
                + "removed); otherwise \(MissingDatabase.advice)")
    }

    private var readOnly: Finding {
        let advice = "dmesg | tail, then mount -o remount,rw $(findmnt -no TARGET -T \(folder))"
        return .fault("the file system of \(folder) is mounted read-only", advice)
    }

    private func evaluate(_ place: FileStatus, for service: Account) -> [Finding] {
        guard !place.permits(.write, to: service) || !place.permits(.enter, to: service) else { return [] }
        let message = "\(service.name) cannot write to \(folder): it is \(accounts.ownership(of: place))"
        return [.fault(message, "chown \(service.name): \(folder) && chmod 700 \(folder)")]
    }

    private func evaluate(_ path: String, _ status: FileStatus, for service: Account) -> Finding? {
        if status.kind == .link || path.hasSuffix("-sign") && status.linkCount > 1 {
            return .fault("\(path) is a link to another file", "rm \(path), and systemctl restart gatehouse")
        }
        guard status.kind != .file || !status.permits(.read, to: service) || !status.permits(.write, to: service)
        else { return nil }
        let message = "\(service.name) cannot read and write \(path): it is \(accounts.ownership(of: status))"
        // All files: opening the database creates missing ones, with the owner of the database.
        return .fault(message, "chown \(service.name): \(self.path)* && chmod 600 \(self.path)*")
    }

    private func evaluateOpenness(of file: FileStatus) -> [Finding] {
        guard file.isOpenToOthers else { return [] }
        return [.fault("other users can read \(path): it is \(accounts.ownership(of: file))", "chmod o= \(path)")]
    }

    /// The server runs as the owner of the folder. Root owns it only if it was created by hand.
    private func service(of folder: FileStatus) -> Account {
        let isOurs = path.hasPrefix("/var/lib/gatehouse/")
        if folder.owner == 0, isOurs, let usual = accounts.account(named: "gatehouse") { return usual }
        return accounts.account(of: folder.owner)
    }
}
