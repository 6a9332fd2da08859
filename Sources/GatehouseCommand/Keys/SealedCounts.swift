import Gatehouse
import GatehouseStore
import GatehouseTokens
import JSON
import POSIX

/// How many values of the database each data key has sealed, by the first bytes of such a value.
struct SealedCounts {
    let counts: [(head: [UInt8], count: Int)]

    init(at path: String) throws {
        counts = try SQLiteFile(path: path).sealedValues(byFirst: DataVault.headByteCount)
    }

    init(_ counts: [(head: [UInt8], count: Int)]) {
        self.counts = counts
    }

    /// Those sealed with the current key, with previous ones, and with none that the vault has.
    func split(by vault: DataVault?) -> (current: Int, previous: Int, unknown: Int) {
        var result = (current: 0, previous: 0, unknown: 0)
        for (head, count) in counts {
            switch vault.flatMap({ $0.heads.firstIndex(of: head) }) {
            case 0?: result.current += count
            case .some: result.previous += count
            case nil: result.unknown += count
            }
        }
        return result
    }

    /// One object for each key that has sealed something.
    func json(_ vault: DataVault?) -> JSONValue {
        .array(
            counts.map { head, count in
                let place = vault.flatMap { $0.heads.firstIndex(of: head) }
                let state = place.map { $0 == 0 ? "current" : "previous" } ?? "unknown"
                return .object([
                    "id": .string(DataVault.keyID(ofHead: head)), "state": .string(state),
                    "values": .integer(Int64(count)),
                ])
            })
    }

    /// Counts by `DataKey.id` in the database that DATABASE_URL names, in a process of its own: that one gives up root for
    /// the owner of the database, and this one goes on as root.
    static func ofDatabase() throws(CommandFault) -> [String: Int] {
        let outcome: Subprocess.Outcome
        do throws(POSIXError) {
            outcome = try Subprocess.ofThisProgram(patience: .seconds(600))
                .run(["keys", "reseal", "--dry-run", "--json"])
        } catch { throw CommandFault(.failed, "\(error)") }
        let isCounted = outcome.status == ExitStatus.done.rawValue || outcome.status == ExitStatus.no.rawValue
        guard isCounted, let counts = counts(in: Array(outcome.output.utf8)) else {
            let reason = outcome.complaint.isEmpty ? "" : ": " + outcome.complaint
            throw CommandFault(
                .failed, "it is not known which keys the database needs, and nothing was changed\(reason)")
        }
        return counts
    }

    /// Reads the report of `keys reseal --dry-run --json`. Nil where any part of it is missing: a key that is not counted
    /// would seem to be needed no more.
    static func counts(in report: [UInt8]) -> [String: Int]? {
        guard let keys = (try? JSONValue(parsing: report))?.object?["keys"]?.array else { return nil }
        var counts: [String: Int] = [:]
        for key in keys {
            guard let id = key.object?["id"]?.string, let values = key.object?["values"]?.integer else { return nil }
            counts[id, default: 0] += Int(values)
        }
        return counts
    }
}

extension IdentityHashes {
    /// How many of the keys that a database keeps no secret of the ring opens; 0 where there is no secret.
    static func unopenedCount(at path: String, _ ring: KeyRing?) throws -> Int {
        guard let ring, let document = try SQLiteFile(path: path).document(DocumentName.identityHashKeys) else {
            return 0
        }
        return IdentityHashes(document: document.content, openedBy: ring).unopenedCount
    }
}
