import Gatehouse
import GatehouseStore
import POSIX

/// Whether the database is whole.
struct IntegrityCheck: Check {
    /// More than this is looked through only when somebody asks for it.
    static let largest: Int64 = 1 << 30

    let subject = "integrity"
    let path: String
    let isDeep: Bool

    func look() -> [Finding] {
        // Of a log that this user may not read, SQLite would say no more than of a damaged one.
        let parts = ["", "-wal", "-shm"].map { path + $0 }
        guard let size = try? FileStatus(of: path).size,
            parts.allSatisfy({ File.isMissing($0) || File.isReadable($0) })
        else {
            return [.note("not looked at: there is nothing that this user can read")]
        }
        guard isDeep || size <= Self.largest else {
            return [.note("not looked at: \(size.inBytes) take a while", "gatehouse check --deep, when few are about")]
        }
        do { return [judge(try SQLiteFile(path: path).damage(deep: isDeep))] } catch {
            return [.note("not looked at: \(error)", "see database and disk above")]
        }
    }

    func judge(_ damage: [String]) -> Finding {
        guard !damage.isEmpty else { return .ok(isDeep ? "whole, and every index fits" : "whole") }
        let advice =
            "systemctl stop gatehouse.socket, keep a copy of \(path)*, then gatehouse restore the last backup; dmesg | tail"
        return .fault("the database is damaged: " + damage.joined(separator: "; "), advice)
    }
}
