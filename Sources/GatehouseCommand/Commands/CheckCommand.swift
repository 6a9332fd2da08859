import AppleID
import Gatehouse
import GatehouseServer
import GatehouseStore
import JOSE
import POSIX

struct CheckCommand: Command {
    let words = ["check"]
    let summary = "Check configuration, database and Apple's keys."
    let discussion = "Exits 0 when all is well, 1 when something is not, 2 when the configuration cannot be used."

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        let configuration = try ConfigurationFault.naming { () throws(SettingFaults) in
            try Configuration(from: SettingSource())
        }
        report("configuration", [])
        for warning in configuration.warnings { StandardStream.output.line("note   \(warning)") }
        let results = [database(configuration.database), appleKeys(configuration.appleKeysURL)]
        noteKeptKeys(configuration)
        return results.allSatisfy { $0 } ? .done : .no
    }

    private func database(_ address: DatabaseAddress) -> Bool {
        switch address {
        case .sqlite(let path): report("database", SQLiteFile(path: path).faults())
        }
    }

    private func appleKeys(_ url: String) -> Bool {
        do throws(KeySetFault) {
            let bytes = try AppleKeySource.fetching(url)()
            let count = (try? JWKSet(parsing: bytes, usableFor: [.RS256]))?.count ?? 0
            return report("Apple's keys", count > 0 ? [] : ["APPLE_JWKS_URL answers without a usable key"])
        } catch {
            return report("Apple's keys", ["APPLE_JWKS_URL does not answer with a key set: \(error)"])
        }
    }

    /// What logins would have to do with if Apple did not answer.
    private func noteKeptKeys(_ configuration: Configuration) {
        guard case .sqlite(let path) = configuration.database,
            let kept = try? SQLiteFile(path: path).document(KeySetArchive.name(for: configuration.appleKeysURL))
        else { return }
        StandardStream.output.line("note   the last good set of Apple's keys was fetched at \(kept.updatedAt)")
    }

    @discardableResult
    private func report(_ subject: String, _ faults: [String]) -> Bool {
        if faults.isEmpty { StandardStream.output.line("ok     \(subject)") }
        for fault in faults { StandardStream.output.line("FAULT  \(subject): \(fault)") }
        return faults.isEmpty
    }
}
