import AppleID
import Gatehouse

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
}
