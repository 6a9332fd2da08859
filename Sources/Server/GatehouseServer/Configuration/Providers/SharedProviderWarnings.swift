import Gatehouse
import IdentityProviders

/// Warnings about providers that accept the same logins: one person would be two users, one for each provider.
enum SharedProviderWarnings {
    /// - Parameter place: the file of a provider, for messages.
    static func about(_ providers: [ConfiguredProvider], at place: (Provider) -> String) -> [String] {
        providers.indices.flatMap { index in
            providers[..<index].compactMap { earlier in
                let provider = providers[index]
                guard let names = shared(earlier, provider) else { return nil }
                return
                    "\(place(earlier.name)) and \(place(provider.name)) have the same \(names): each login is accepted "
                    + "by both, for different users"
            }
        }
    }

    /// The settings in which two providers accept the same; nil if they differ.
    private static func shared(_ one: ConfiguredProvider, _ other: ConfiguredProvider) -> String? {
        let table = ProviderSettings.table
        if let app = one.app, one.kind == other.kind { return app.id == other.app?.id ? table.appID.name : nil }
        guard let one = one.openID?.rules, let other = other.openID?.rules,
            overlap(one.issuers, other.issuers), overlap(one.audiences, other.audiences)
        else { return nil }
        return "\(table.issuer.name) and \(table.audiences.name)"
    }

    private static func overlap(_ one: [String], _ other: [String]) -> Bool { !Set(one).isDisjoint(with: other) }
}
