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
                let id = head.dropFirst().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
                return .object(["id": .string(id), "state": .string(state), "values": .integer(Int64(count))])
            })
    }

    /// Counts in the database that DATABASE_URL names, in a process of its own: that one gives up root for the owner of the
    /// database, and this one goes on as root.
    static func ofDatabase() throws(CommandFault) -> [[UInt8]: Int] {
        let outcome: Subprocess.Outcome
        do throws(POSIXError) {
            outcome = try Subprocess.ofThisProgram(patience: .seconds(600))
                .run(["keys", "reseal", "--dry-run", "--json"])
        } catch { throw CommandFault(.failed, "\(error)") }
        let keys = (try? JSONValue(parsing: Array(outcome.output.utf8)))?.object?["keys"]?.array
        guard outcome.status == ExitStatus.done.rawValue || outcome.status == ExitStatus.no.rawValue, let keys else {
            let reason = outcome.complaint.isEmpty ? "" : ": " + outcome.complaint
            throw CommandFault(
                .failed, "it is not known which keys the database needs, and nothing was changed\(reason)")
        }
        var counts: [[UInt8]: Int] = [:]
        for key in keys.compactMap(\.object) {
            guard let id = key["id"]?.string, let values = key["values"]?.integer else { continue }
            counts[[1] + bytes(ofHexadecimal: id), default: 0] += Int(values)
        }
        return counts
    }

    private static func bytes(ofHexadecimal text: String) -> [UInt8] {
        let digits = text.compactMap { $0.hexDigitValue.map(UInt8.init) }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
