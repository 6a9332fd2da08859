import AppleID
import Gatehouse
import GatehouseServer
import GatehouseStore
import JOSE
import POSIX

struct CheckCommand: Command {
    let words = ["check"]
    let summary = "Check configuration, database, Apple's keys and our credentials with Apple."
    let discussion = "Exits 0 when all is well, 1 when something is not, 2 when the configuration cannot be used."

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        let configuration = try ConfigurationFault.naming { () throws(SettingFaults) in
            try Configuration(from: .current())
        }
        report("configuration", [])
        for warning in configuration.warnings { StandardStream.output.line("note   \(warning)") }
        let results = [
            database(configuration.database), appleKeys(configuration.appleKeysURL), appleCredentials(configuration),
        ]
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

    /// Whether we can say who we are. Whether Apple believes it shows at the first login.
    private func appleCredentials(_ configuration: Configuration) -> Bool {
        guard let server = configuration.appleServer else {
            let names = "APPLE_TEAM_ID, APPLE_KEY_ID and APPLE_PRIVATE_KEY"
            StandardStream.output.line("note   without \(names) no code is exchanged and no token revoked at Apple's")
            return true
        }
        let now = Timestamp(milliseconds: WallClock.millisecondsSince1970())
        let faults = configuration.apple.audiences.filter { (try? server.secrets.secret(for: $0, now: now)) == nil }
            .map { "no client secret can be made for \($0)" }
        return report("Apple's credentials", faults)
    }

    @discardableResult
    private func report(_ subject: String, _ faults: [String]) -> Bool {
        if faults.isEmpty { StandardStream.output.line("ok     \(subject)") }
        for fault in faults { StandardStream.output.line("FAULT  \(subject): \(fault)") }
        return faults.isEmpty
    }
}
