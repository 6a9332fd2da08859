package import Gatehouse
package import IdentityProviders

/// A provider of logins that the operator has configured by a file in `PROVIDERS_DIR`.
package struct ConfiguredProvider: Sendable, Equatable {
    package enum Details: Sendable, Equatable {
        case openID(TokenRules, KeySetAddress)
        case google(TokenRules, KeySetAddress)
        case weChat(WeChatApp)
        case qq(QQApp)
    }

    /// The name of the file without `.conf`.
    package let name: Provider
    package let details: Details
    /// Nil if browsers do not sign in with it.
    package var web: WebClient?

    package var kind: ProviderKind {
        switch details {
        case .openID: .openID
        case .google: .google
        case .weChat: .weChat
        case .qq: .qq
        }
    }
}

extension ConfiguredProvider {
    /// Nil unless it issues identity tokens.
    package var openID: (rules: TokenRules, keys: KeySetAddress)? {
        switch details {
        case .openID(let rules, let keys), .google(let rules, let keys): (rules, keys)
        case .weChat, .qq: nil
        }
    }

    /// Nil unless an app is registered with an id and a secret.
    package var app: (id: String, apiURL: String)? {
        switch details {
        case .openID, .google: nil
        case .weChat(let app): (app.id, app.apiURL)
        case .qq(let app): (app.id, app.apiURL)
        }
    }

    /// The addresses that decide about an identity: the one that is asked first, and those of a browser's login.
    package var addresses: [String] {
        let first =
            switch openID?.keys {
            case .discovery(let address), .keySet(let address): address
            case nil: app?.apiURL ?? ""
            }
        return [first] + [web?.pageURL, web?.tokenURL].compactMap { $0 }
    }
}

/// The values of `KIND`.
package enum ProviderKind: String, Sendable, CaseIterable {
    case google
    case openID = "openid"
    case weChat = "wechat"
    case qq
}
