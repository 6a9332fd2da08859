import Gatehouse
package import IdentityProviders

extension ConfiguredProvider {
    /// Nil if browsers do not sign in with it.
    ///
    /// - Parameters:
    ///   - keys: of an OpenID provider.
    ///   - discovery: of an OpenID provider, if its client needs metadata.
    func webSignIn(
        keys: ProviderKeys?, discovery: OpenIDDiscovery?, calls: ProviderCalls
    ) -> (any WebIdentityProvider)? {
        guard let client = web else { return nil }
        switch details {
        case .openID(let rules, _), .google(let rules, _):
            return keys.map {
                OpenIDWebSignIn(
                    name: name, rules: rules, client: client, keys: $0, discovery: discovery, calls: calls)
            }
        case .weChat(let app):
            return WeChatProvider(
                name: name, app: app.website(client), pageURL: client.pageURL ?? WeChatProvider.standardPage,
                calls: calls)
        case .qq(let app):
            return QQProvider(
                name: name, app: app.website(client), pageURL: client.pageURL ?? QQProvider.standardPage, calls: calls)
        }
    }

    /// How the code of a browser is sent to the provider. An address that its metadata name is not the operator's choice.
    package var postToTokenEndpoint: ProviderCalls.Post {
        guard let issuer = openID?.rules.issuers.first, web?.tokenURL == nil else { return ProviderCalls.networkPost }
        return ProviderCalls.networkPost(toAddressNamedBy: issuer)
    }

    /// Whether the provider accepts the id and the secret with which browsers sign in; nil if they do not.
    ///
    /// - Parameter callback: Gatehouse's.
    package func checkWebClient(callback: String, calls: ProviderCalls) -> ProviderCheck? {
        guard let client = web else { return nil }
        switch details {
        case .openID(let rules, _), .google(let rules, _):
            let issuer = rules.issuers.first ?? ""
            return OpenIDWebCheck(client, of: name, issuer: issuer, calls: calls).run(callback: callback)
        case .weChat(let app): return WeChatProvider(name: name, app: app.website(client), calls: calls).check()
        case .qq(let app): return QQProvider(name: name, app: app.website(client), calls: calls).check()
        }
    }
}

// The website is another app at the same API.

extension WeChatApp {
    fileprivate func website(_ client: WebClient) -> WeChatApp {
        WeChatApp(id: client.id, secret: client.secret, apiURL: apiURL)
    }
}

extension QQApp {
    fileprivate func website(_ client: WebClient) -> QQApp {
        QQApp(id: client.id, key: client.secret, apiURL: apiURL)
    }
}
