import AppleID
import Gatehouse

extension AppleKeys {
    /// Keys that nobody has kept before, and nobody will find afterwards.
    convenience init(
        policy: KeySetPolicy = KeySetPolicy(), now: @escaping @Sendable () -> Timestamp,
        report: @escaping @Sendable (KeySetReport) -> Void = { _ in }, source: @escaping KeySource
    ) {
        self.init(
            policy: policy, archive: KeySetArchive(MemoryDocuments(), address: "https://apple.example/keys"), now: now,
            report: report, source: source)
    }
}
