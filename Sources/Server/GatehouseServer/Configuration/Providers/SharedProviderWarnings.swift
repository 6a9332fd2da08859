import Gatehouse
import IdentityProviders

/// Warnings about providers that accept the same logins: one person would be two users, one for each provider.
enum SharedProviderWarnings {
    /// - Parameter place: the file of a provider, for messages.
    static func about(_ providers: [ConfiguredProvider], at place: (Provider) -> String) -> [String] {
        providers.indices.flatMap { index in
            providers[..<index].compactMap { earlier in
                let provider = providers[index]
                guard let names = shared(earlier.details, provider.details) else { return nil }
                return
                    "\(place(earlier.name)) and \(place(provider.name)) have the same \(names): each login is accepted "
                    + "by both, for different users"
            }
        }
    }

    /// The settings in which two providers accept the same; nil if they differ.
    private static func shared(
        _ one: ConfiguredProvider.Details, _ other: ConfiguredProvider.Details
    ) -> String? {
        let table = ProviderSettings.table
        switch (one, other) {
        case (.weChat(let one), .weChat(let other)): return one.id == other.id ? table.appID.name : nil
        case (.qq(let one), .qq(let other)): return one.id == other.id ? table.appID.name : nil
        default:
            guard let one = one.policy, let other = other.policy, Self.overlap(one.issuers, other.issuers),
                Self.overlap(one.audiences, other.audiences)
            else { return nil }
            return "\(table.issuer.name) and \(table.audiences.name)"
        }
    }

    private static func overlap(_ one: [String], _ other: [String]) -> Bool { !Set(one).isDisjoint(with: other) }
}

extension ConfiguredProvider.Details {
    fileprivate var policy: OpenIDPolicy? {
        switch self {
        case .openID(let policy, _), .google(let policy, _): policy
        case .weChat, .qq: nil
        }
    }
}
