import IdentityProviders

/// A setting of a kind of provider. Kinds have different defaults.
package struct ProviderSetting: Sendable {
    package let row: any SettingRow
    package let defaultValue: SettingDefault

    fileprivate init(_ row: some SettingRow, _ defaultValue: SettingDefault? = nil) {
        self.row = row
        self.defaultValue = defaultValue ?? row.defaultValue
    }

    var defaultText: String? {
        if case .text(let text) = defaultValue { text } else { nil }
    }
}

extension ProviderKind {
    /// The settings that a file of this kind may have, `KIND` first.
    package var settings: [ProviderSetting] {
        let table = ProviderSettings.table
        let own =
            switch self {
            case .google: google + web
            case .openID: openID + web
            case .weChat:
                app(secret: table.appSecret, api: WeChatApp.standardAPI) + client(page: WeChatProvider.standardPage)
            case .qq: app(secret: table.appKey, api: QQApp.standardAPI) + client(page: QQProvider.standardPage)
            }
        return [ProviderSetting(table.kind)] + own
    }

    /// Whether a file of this kind may have the setting.
    func has(_ row: some SettingRow) -> Bool { settings.contains { $0.row.name == row.name } }

    private var openID: [ProviderSetting] {
        let table = ProviderSettings.table
        return [
            ProviderSetting(table.issuer, .required), ProviderSetting(table.keysURL),
            ProviderSetting(table.audiences), ProviderSetting(table.authorizedParties),
            ProviderSetting(table.algorithms, .text("RS256,ES256")), ProviderSetting(table.nonce, .text("required")),
            ProviderSetting(table.maximumAge, .text("1h")), ProviderSetting(table.required),
        ]
    }

    /// Google signs with RS256 alone. Its libraries for apps make a nonce that not every app learns.
    private var google: [ProviderSetting] {
        let table = ProviderSettings.table
        return [
            ProviderSetting(table.audiences), ProviderSetting(table.authorizedParties),
            ProviderSetting(table.nonce, .text("if-sent")), ProviderSetting(table.maximumAge, .text("1h")),
            ProviderSetting(table.required), ProviderSetting(table.issuer), ProviderSetting(table.keysURL),
        ]
    }

    private func app(secret: Setting<String?>, api: String) -> [ProviderSetting] {
        let table = ProviderSettings.table
        return [ProviderSetting(table.appID), ProviderSetting(secret), ProviderSetting(table.apiURL, .text(api))]
    }

    private var web: [ProviderSetting] {
        let table = ProviderSettings.table
        return client(page: nil)
            + [ProviderSetting(table.tokenURL), ProviderSetting(table.scopes, .text(WebClient.standardScopes))]
    }

    private func client(page: String?) -> [ProviderSetting] {
        let table = ProviderSettings.table
        return [
            ProviderSetting(table.clientID), ProviderSetting(table.clientSecret),
            ProviderSetting(table.pageURL, page.map { .text($0) }),
        ]
    }
}
