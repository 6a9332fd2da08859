import Gatehouse
import IdentityProviders
import JOSE

extension AppleKeys {
    /// With an empty archive of its own.
    convenience init(
        policy: KeySetPolicy = KeySetPolicy(), now: @escaping @Sendable () -> Timestamp,
        report: @escaping KeySetReport.Handler = { _, _ in }, source: @escaping KeySource
    ) {
        self.init(
            policy: policy, archive: KeySetArchive(InMemoryKeySetStorage(), address: "https://apple.example/keys"),
            now: now,
            report: report, source: source)
    }

    /// The key's id, or the error.
    func result(for name: String = "KEY0000001") -> String {
        do { return try key(name, requestID: nil).keyID ?? "a key without an id" } catch { return "\(error)" }
    }
}
