package import Gatehouse
package import IdentityProviders

/// A provider of logins that the operator has configured by a file in `PROVIDERS_DIR`.
package struct ConfiguredProvider: Sendable, Equatable {
    package enum Details: Sendable, Equatable {
        case openID(OpenIDPolicy, KeySetAddress)
        case google(OpenIDPolicy, KeySetAddress)
        case weChat(WeChatApp)
        case qq(QQApp)
    }

    /// The name of the file without `.conf`.
    package let name: Provider
    package let details: Details

    package var kind: ProviderKind {
        switch details {
        case .openID: .openID
        case .google: .google
        case .weChat: .weChat
        case .qq: .qq
        }
    }
}

/// The values of `KIND`.
package enum ProviderKind: String, Sendable, CaseIterable {
    case google
    case openID = "openid"
    case weChat = "wechat"
    case qq
}
