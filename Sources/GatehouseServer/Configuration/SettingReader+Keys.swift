import GatehouseTokens
import JOSE

extension SettingReader {
    /// The secrets of both kinds of token, the ones before them included. Nil where any is missing or no good.
    mutating func keyRings() -> (access: KeyRing, refresh: KeyRing)? {
        let names = ["JWT_ACCESS_SECRET", "JWT_REFRESH_SECRET"]
        let secrets = names.map { secret($0, previous: $0 + "_PREVIOUS") }
        refuseSharedSecrets(secrets.flatMap { $0 })
        guard let access = ring(secrets[0]), let refresh = ring(secrets[1]) else { return nil }
        return (access, refresh)
    }

    private mutating func secret(_ name: String, previous: String) -> [(name: String, bytes: [UInt8])] {
        var found = [(name, Array(required(name, "at least 32 random bytes sign our tokens").utf8))]
        if let older = text(previous) { found.append((previous, Array(older.utf8))) }
        for (name, bytes) in found where !bytes.isEmpty && bytes.count < VerificationKey.minimumSecretByteCount {
            note(name, "is too short: it needs at least \(VerificationKey.minimumSecretByteCount) bytes")
        }
        return found
    }

    /// One secret in two places would let a token of one kind pass where another is asked for.
    private mutating func refuseSharedSecrets(_ secrets: [(name: String, bytes: [UInt8])]) {
        for (index, secret) in secrets.enumerated() where !secret.bytes.isEmpty {
            for earlier in secrets[..<index] where earlier.bytes == secret.bytes {
                note(secret.name, "must differ from \(earlier.name)")
            }
        }
    }

    private func ring(_ secrets: [(name: String, bytes: [UInt8])]) -> KeyRing? {
        try? KeyRing(secret: secrets[0].bytes, previous: secrets.count > 1 ? secrets[1].bytes : nil)
    }
}
