package import Gatehouse
package import IdentityProviders

/// A kind whose providers know an app by an id and a secret. The operator's website is another app at the same API.
package protocol AppKind: ProviderKind {
    /// The setting with the app's secret.
    static var secretSetting: Setting<String?> { get }
    static var standardAPI: String { get }
    static var standardPage: String { get }

    var id: String { get }
    var apiURL: String { get }

    init(id: String, secret: String, apiURL: String)

    /// What verifies the logins of browsers, if the app is the website.
    func webProvider(_ name: Provider, pageURL: String, calls: ProviderCalls) -> any WebIdentityProvider
}

extension WeChatApp: AppKind {
    package static let kind = "wechat"
    package static var secretSetting: Setting<String?> { ProviderSettings.table.appSecret }
    package static var standardPage: String { WeChatProvider.standardPage }

    package func provider(_ name: Provider, _ parts: ProviderParts) -> (any IdentityProvider)? {
        WeChatProvider(name: name, app: self, calls: parts.calls)
    }

    package func webProvider(_ name: Provider, pageURL: String, calls: ProviderCalls) -> any WebIdentityProvider {
        WeChatProvider(name: name, app: self, pageURL: pageURL, calls: calls)
    }

    package func checkApp(_ name: Provider, calls: ProviderCalls) -> ProviderCheck? {
        WeChatProvider(name: name, app: self, calls: calls).check()
    }
}

extension QQApp: AppKind {
    package static let kind = "qq"
    package static var secretSetting: Setting<String?> { ProviderSettings.table.appKey }
    package static var standardPage: String { QQProvider.standardPage }

    package init(id: String, secret: String, apiURL: String) { self.init(id: id, key: secret, apiURL: apiURL) }

    package func provider(_ name: Provider, _ parts: ProviderParts) -> (any IdentityProvider)? {
        QQProvider(name: name, app: self, calls: parts.calls)
    }

    package func webProvider(_ name: Provider, pageURL: String, calls: ProviderCalls) -> any WebIdentityProvider {
        QQProvider(name: name, app: self, pageURL: pageURL, calls: calls)
    }

    package func checkApp(_ name: Provider, calls: ProviderCalls) -> ProviderCheck? {
        QQProvider(name: name, app: self, calls: calls).check()
    }
}

// MARK: - What these kinds have in common

extension AppKind {
    package static var settings: [ProviderSetting] {
        let table = ProviderSettings.table
        return [
            ProviderSetting(table.appID), ProviderSetting(secretSetting),
            ProviderSetting(table.apiURL, .text(standardAPI)),
        ] + clientSettings(page: .text(standardPage))
    }

    package init?(_ settings: SettingReader<ProviderSettings>) {
        guard let id = settings[\.appID], let secret = settings[Self.secretSetting], let url = settings[\.apiURL] else {
            return nil
        }
        self.init(id: id, secret: secret, apiURL: url)
    }

    package static func webClient(
        id: String, secret: String, _ settings: SettingReader<ProviderSettings>
    ) -> WebClient? {
        WebClient(id: id, secret: secret, pageURL: settings[\.pageURL])
    }

    package var openID: (rules: TokenRules, keys: KeySetAddress)? { nil }

    package var app: (id: String, secretSetting: String, apiURL: String)? { (id, Self.secretSetting.name, apiURL) }

    private func website(_ client: WebClient) -> Self { Self(id: client.id, secret: client.secret, apiURL: apiURL) }

    package func webProvider(
        _ name: Provider, _ client: WebClient, _ parts: ProviderParts
    ) -> (any WebIdentityProvider)? {
        website(client).webProvider(name, pageURL: client.pageURL ?? Self.standardPage, calls: parts.calls)
    }

    package func check(
        _ client: WebClient, of name: Provider, callback: String, calls: ProviderCalls
    ) -> ProviderCheck? {
        website(client).checkApp(name, calls: calls)
    }
}
