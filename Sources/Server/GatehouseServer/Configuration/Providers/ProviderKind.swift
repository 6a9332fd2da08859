package import Gatehouse
package import IdentityProviders

/// A kind of provider, as the file of one configures it. Whatever is a kind's own is in its file: its settings with their
/// defaults, how they are read, and what is built from them.
package protocol ProviderKind: Sendable, Equatable {
    /// The value of `KIND`.
    static var kind: String { get }
    /// The settings that a file of this kind may have, besides `KIND`.
    static var settings: [ProviderSetting] { get }

    /// Nil if a value may be in a folder that this user cannot open.
    init?(_ settings: SettingReader<ProviderSettings>)

    /// The client with which browsers sign in; nil if a value may be in a folder that this user cannot open.
    static func webClient(id: String, secret: String, _ settings: SettingReader<ProviderSettings>) -> WebClient?

    /// Nil unless the provider issues identity tokens.
    var openID: (rules: TokenRules, keys: KeySetAddress)? { get }
    /// Nil unless an app is registered with an id and a secret.
    var app: (id: String, secretSetting: String, apiURL: String)? { get }

    /// What verifies the logins of apps.
    func provider(_ name: Provider, _ parts: ProviderParts) -> (any IdentityProvider)?
    /// What verifies the logins of browsers.
    func webProvider(_ name: Provider, _ client: WebClient, _ parts: ProviderParts) -> (any WebIdentityProvider)?

    /// Whether the provider accepts the app; nil unless there is one.
    func checkApp(_ name: Provider, calls: ProviderCalls) -> ProviderCheck?
    /// Whether the provider accepts the client with which browsers sign in.
    ///
    /// - Parameter callback: Gatehouse's.
    func check(_ client: WebClient, of name: Provider, callback: String, calls: ProviderCalls) -> ProviderCheck?
}

/// What a provider is built with.
package struct ProviderParts {
    /// Nil unless the provider issues identity tokens.
    let keys: ProviderKeys?
    /// Nil unless browsers sign in with addresses of the metadata.
    let discovery: OpenIDDiscovery?
    let calls: ProviderCalls
    let replayGrace: Duration
}

/// A setting of a kind of provider. Kinds have different defaults.
package struct ProviderSetting: Sendable {
    package let row: any SettingRow
    package let defaultValue: SettingDefault

    init(_ row: some SettingRow, _ defaultValue: SettingDefault? = nil) {
        self.row = row
        self.defaultValue = defaultValue ?? row.defaultValue
    }
}

extension ProviderKind {
    /// The settings that a file of this kind may have.
    package static var allSettings: [ProviderSetting] { [ProviderSetting(ProviderSettings.table.kind)] + settings }

    /// The table of the kind on the Providers page, in Markdown.
    package static var markdown: String { Settings.markdown(settings.map { ($0.row, $0.defaultValue) }) }

    /// Those of the client with which browsers sign in.
    static func clientSettings(page: SettingDefault) -> [ProviderSetting] {
        let table = ProviderSettings.table
        return [
            ProviderSetting(table.clientID), ProviderSetting(table.clientSecret), ProviderSetting(table.pageURL, page),
        ]
    }
}

// MARK: - One provider

/// A provider of logins that the operator has configured by a file in `PROVIDERS_DIR`.
package struct ConfiguredProvider: Sendable {
    /// The name of the file without `.conf`.
    package let name: Provider
    package let details: any ProviderKind
    /// Nil if browsers do not sign in with it.
    package let web: WebClient?

    package init(name: Provider, details: any ProviderKind, web: WebClient? = nil) {
        (self.name, self.details, self.web) = (name, details, web)
    }

    /// The value of `KIND`.
    package var kind: String { type(of: details).kind }

    /// Nil unless it issues identity tokens.
    package var openID: (rules: TokenRules, keys: KeySetAddress)? { details.openID }

    /// Nil unless an app is registered with an id and a secret.
    package var app: (id: String, secretSetting: String, apiURL: String)? { details.app }

    /// The addresses that decide about an identity: the one that is asked first, and those of a browser's login.
    package var addresses: [String] {
        let first =
            switch openID?.keys {
            case .discovery(let address), .keySet(let address): address
            case nil: app?.apiURL ?? ""
            }
        return [first] + [web?.pageURL, web?.tokenURL].compactMap { $0 }
    }

    /// How the code of a browser is sent to the provider. An address that its metadata name is not the operator's choice.
    package var postToTokenEndpoint: ProviderCalls.Post {
        guard let issuer = openID?.rules.issuers.first, web?.tokenURL == nil else { return ProviderCalls.networkPost }
        return ProviderCalls.networkPost(toAddressNamedBy: issuer)
    }
}
