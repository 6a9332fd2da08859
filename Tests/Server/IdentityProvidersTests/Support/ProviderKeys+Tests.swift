import Gatehouse
import IdentityProviders
import JOSE

extension ProviderKeys {
    /// With an empty archive of its own.
    convenience init(
        policy: KeySetPolicy = KeySetPolicy(), now: @escaping @Sendable () -> Timestamp,
        report: @escaping KeySetReport.Handler = { _, _ in }, source: @escaping KeySource
    ) {
        self.init(
            policy: policy,
            archive: KeySetArchive(
                InMemoryKeySetStorage(), address: .keySet(url: "https://apple.example/keys"), of: .apple),
            now: now,
            report: report, source: source)
    }

    /// The key's id, or the error.
    func result(for name: String = "KEY0000001") -> String {
        do {
            let reference = KeyReference(keyID: name, algorithm: .RS256)
            return try keys(for: reference, requestID: nil)[0].keyID ?? "a key without an id"
        } catch {
            return "\(error)"
        }
    }
}
