import GatehouseStore
import POSIX

/// The files of the database: whose they are, and whether the service can use them.
struct DatabaseCheck: Check {
    let subject = "database"
    let path: String
    let accounts: AccountBook

    /// What was found; nil for what is not there.
    struct Facts {
        var folder: FileStatus?
        var file: FileStatus?
        /// The log, its index, the lock and the sign of revocations, as far as there are any.
        var companions: [(path: String, status: FileStatus)] = []
        var isReadOnly = false
        var isHalfRestored = false
    }

    var folder: String { File.folder(of: path) }

    func look() -> [Finding] {
        var facts = Facts()
        do throws(POSIXError) {
            facts.folder = try Self.status(of: folder)
            facts.file = try Self.status(of: path)
            for name in ["-wal", "-shm", "-lock", "-sign"].map({ path + $0 }) {
                if let status = try Self.statusOfEntry(name) { facts.companions.append((name, status)) }
            }
        } catch {
            return [.note("not looked at: \(accounts.current.name) may not (\(error))", "sudo gatehouse check")]
        }
        facts.isReadOnly = (try? FileSystemStatus(at: folder))?.isReadOnly ?? false
        facts.isHalfRestored = Restore.isCutOff(path)
        return judge(facts)
    }

    private static func status(of path: String) throws(POSIXError) -> FileStatus? {
        File.isMissing(path) ? nil : try FileStatus(of: path)
    }

    /// Of a link itself: nothing of ours is one.
    private static func statusOfEntry(_ path: String) throws(POSIXError) -> FileStatus? {
        do throws(POSIXError) { return try FileStatus(ofEntry: path) } catch {
            guard error.isMissing else { throw error }
            return nil
        }
    }

    func judge(_ facts: Facts) -> [Finding] {
        guard let place = facts.folder else {
            // The units may write to no other folder than their own before that command was called.
            let make =
                folder != "/var/lib/gatehouse" && File.exists("/usr/sbin/gatehouse-database-folder")
                ? "gatehouse-database-folder \(folder.shellQuoted)"
                : "install -d -m 700 -o gatehouse -g gatehouse \(folder)"
            return [.fault("there is no folder \(folder)", "\(make), or correct DATABASE_URL")]
        }
        guard !facts.isHalfRestored else {
            let message = "a restore was cut off, and nobody opens the database"
            return [.fault(message, "gatehouse restore the backup again")]
        }
        guard let file = facts.file else {
            let advice =
                "gatehouse serve makes an empty one; where there was one, correct DATABASE_URL or restore a backup. "
                + "If it was removed beside a running server, copy it before that ends: "
                + "ls -l /proc/$(systemctl show -P MainPID gatehouse)/fd shows it as deleted, cp takes it from there"
            return [.fault("there is no database at \(path)", advice)]
        }
        guard file.kind != .folder else {
            return [.fault("\(path) is a folder", "name a file in DATABASE_URL, such as sqlite:\(path)/gatehouse.db")]
        }
        let service = service(of: place)
        let files = [(path, file)] + facts.companions
        let findings =
            (facts.isReadOnly ? [readOnly] : []) + judge(place, for: service)
            + files.compactMap { judge($0, $1, for: service) } + judgeOpenness(of: file)
        return findings.isEmpty ? [.ok("\(path) is \(service.name)'s, \(file.size.inBytes)")] : findings
    }

    private var readOnly: Finding {
        let advice = "dmesg | tail, then mount -o remount,rw $(findmnt -no TARGET -T \(folder))"
        return .fault("\(folder) is on a file system that is mounted read-only", advice)
    }

    private func judge(_ place: FileStatus, for service: Account) -> [Finding] {
        guard !place.permits(.write, to: service) || !place.permits(.enter, to: service) else { return [] }
        let message = "\(service.name) cannot write to \(folder): it is \(accounts.ownership(of: place))"
        return [.fault(message, "chown \(service.name): \(folder) && chmod 700 \(folder)")]
    }

    private func judge(_ path: String, _ status: FileStatus, for service: Account) -> Finding? {
        if status.kind == .link || path.hasSuffix("-sign") && status.linkCount > 1 {
            return .fault("\(path) is a link to another file", "rm \(path), and systemctl restart gatehouse")
        }
        guard status.kind != .file || !status.permits(.read, to: service) || !status.permits(.write, to: service)
        else { return nil }
        let message = "\(service.name) cannot read and write \(path): it is \(accounts.ownership(of: status))"
        // All of them: looking makes those that are missing, for whoever has the database.
        return .fault(message, "chown \(service.name): \(self.path)* && chmod 600 \(self.path)*")
    }

    private func judgeOpenness(of file: FileStatus) -> [Finding] {
        guard file.isOpenToOthers else { return [] }
        return [.fault("others can read it: \(path) is \(accounts.ownership(of: file))", "chmod o= \(path)")]
    }

    /// Whoever has the folder is who serves. Root has it only where somebody made it by hand.
    private func service(of folder: FileStatus) -> Account {
        let isOurs = path.hasPrefix("/var/lib/gatehouse/")
        if folder.owner == 0, isOurs, let usual = accounts.account(named: "gatehouse") { return usual }
        return accounts.account(of: folder.owner)
    }
}
