import FileSystem
import Gatehouse
import GatehouseServer
import GatehouseStore

/// Whether there is a recent backup.
struct BackupsCheck: Check {
    /// The timer runs daily. One missed run is tolerated.
    static let longestAge = Duration.seconds(2 * 86_400)

    struct Facts {
        /// The time of the last verified backup.
        var newest: Timestamp?
        /// The time of the oldest row in the database.
        var oldestRow: Timestamp?
        var now: Timestamp
        /// Whether the folder of the daily backups, beside the database, has one.
        var hasFiles = true
    }

    let subject = "backups"
    let path: String
    /// Nil without systemd.
    let timer: UnitStatus?

    func run() -> [Finding] {
        guard File.isReadable(path) else {
            return [.note("not checked: no database that this user can read")]
        }
        do {
            let file = SQLiteFile(path: path)
            let last = try file.document(DocumentName.lastBackup)
            // A backup to another place says nothing about the folder.
            let isRegular = last.map { String(decoding: $0.content, as: UTF8.self) == File.resolved(folder) } ?? false
            return [
                evaluate(
                    Facts(
                        newest: last?.updatedAt, oldestRow: try file.oldestMoment(), now: Platform.system.now(),
                        hasFiles: !isRegular || hasFiles))
            ]
        } catch { return [.note("not checked: \(error)")] }
    }

    private var folder: String { File.folder(of: path) + "/backups" }

    private var hasFiles: Bool {
        let names = (try? File.names(in: folder)) ?? []
        return names.contains { $0.hasPrefix("gatehouse-") && $0.hasSuffix(".db") }
    }

    func evaluate(_ facts: Facts) -> Finding {
        // A timer that is enabled but stopped should make backups, too.
        let isOn = timer.map { $0.isActive || $0.isEnabled } ?? false
        guard isOn || facts.newest != nil else {
            let advice =
                timer == nil ? "gatehouse backup --keep 14 FOLDER, every day" : "systemctl enable --now \(Units.timer)"
            return .note("no backup is known, and no timer makes any", advice)
        }
        let advice = "systemctl start gatehouse-backup.service; journalctl -u gatehouse-backup -n 20"
        guard let newest = facts.newest else {
            let isOverdue = facts.oldestRow.map { $0 + Self.longestAge < facts.now } ?? false
            return isOverdue
                ? .fault("no backup is known, and the database is older than two days", advice)
                : .note("no backup yet", "systemctl start gatehouse-backup.service")
        }
        if isOn, !facts.hasFiles {
            return .fault("the last verified backup was made at \(newest), but \(folder) has none", advice)
        }
        guard newest + Self.longestAge < facts.now else { return .ok("the last verified backup was made at \(newest)") }
        let message = "the last verified backup was made at \(newest), more than two days ago"
        return isOn
            ? .fault(message, advice)
            : .note(message + ", and no timer makes any", "systemctl enable --now \(Units.timer)")
    }
}
