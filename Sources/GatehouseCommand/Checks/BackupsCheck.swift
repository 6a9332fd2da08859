import Gatehouse
import GatehouseServer
import GatehouseStore
import POSIX

/// Whether there is a backup that is worth having.
struct BackupsCheck: Check {
    /// One day may be missed: a machine that was off, a disk that was full for an hour.
    static let longestAge = Duration.seconds(2 * 86_400)

    struct Facts {
        /// When the last good one was made.
        var newest: Timestamp?
        /// When there was something to back up for the first time.
        var oldestRow: Timestamp?
        var now: Timestamp
        /// False where the folder of the daily backups, beside the database, has none.
        var hasFiles = true
    }

    let subject = "backups"
    let path: String
    /// Nil without systemd.
    let timer: UnitStatus?

    func look() -> [Finding] {
        guard File.isReadable(path) else {
            return [.note("not looked at: there is no database that this user can read")]
        }
        do {
            let file = SQLiteFile(path: path)
            return [
                judge(
                    Facts(
                        newest: try file.document(DocumentName.lastBackup)?.updatedAt,
                        oldestRow: try file.oldestMoment(),
                        now: World.real.now(), hasFiles: hasFiles))
            ]
        } catch { return [.note("not looked at: \(error)")] }
    }

    private var folder: String { File.folder(of: path) + "/backups" }

    private var hasFiles: Bool {
        let names = (try? File.names(in: folder)) ?? []
        return names.contains { $0.hasPrefix("gatehouse-") && $0.hasSuffix(".db") }
    }

    func judge(_ facts: Facts) -> Finding {
        // A timer that is stopped and not disabled is to make backups, and does not.
        let isOn = timer.map { $0.isActive || $0.isEnabled } ?? false
        guard isOn || facts.newest != nil else {
            let advice =
                timer == nil ? "gatehouse backup --keep 14 FOLDER, every day" : "systemctl enable --now \(Units.timer)"
            return .note("none is known, and no timer makes any", advice)
        }
        let advice = "systemctl start gatehouse-backup.service; journalctl -u gatehouse-backup -n 20"
        guard let newest = facts.newest else {
            let isOverdue = facts.oldestRow.map { $0 + Self.longestAge < facts.now } ?? false
            return isOverdue
                ? .fault("none is known, and the database is older than two days", advice)
                : .note("none so far", "systemctl start gatehouse-backup.service")
        }
        if isOn, !facts.hasFiles {
            return .fault("the last good one was made at \(newest), and \(folder) has none", advice)
        }
        guard newest + Self.longestAge < facts.now else { return .ok("the last good one was made at \(newest)") }
        let message = "the last good one was made at \(newest), more than two days ago"
        return isOn
            ? .fault(message, advice)
            : .note(message + ", and no timer makes any", "systemctl enable --now \(Units.timer)")
    }
}
