import IdentityProviders
import JOSE

extension ProviderReader {
    /// Nil if the file has a fault, or if a value may be in a folder that this user cannot open.
    var provider: ConfiguredProvider? {
        guard settings.faults.isEmpty, let kind, let details = details(of: kind) else { return nil }
        let client = self[\.clientID] == nil ? nil : webClient(of: kind)
        // The secret may be in a folder that this user cannot open.
        guard self[\.clientID] == nil || client != nil else { return nil }
        return ConfiguredProvider(name: name, details: details, web: client)
    }

    private func details(of kind: ProviderKind) -> ConfiguredProvider.Details? {
        switch kind {
        case .openID: openID
        case .google: google
        case .weChat: weChat
        case .qq: qq
        }
    }

    private func webClient(of kind: ProviderKind) -> WebClient? {
        guard let id = self[\.clientID], let secret = self[\.clientSecret] else { return nil }
        let page = self[\.pageURL]
        switch kind {
        case .weChat, .qq: return WebClient(id: id, secret: secret, pageURL: page)
        case .openID, .google:
            guard let scopes = self[\.scopes] else { return nil }
            // Those of another issuer are in its metadata.
            let isGoogle = kind == .google && self[\.issuer] == nil
            return WebClient(
                id: id, secret: secret, pageURL: page ?? (isGoogle ? Google.pageURL : nil),
                tokenURL: self[\.tokenURL] ?? (isGoogle ? Google.tokenURL : nil), scopes: scopes)
        }
    }

    private var openID: ConfiguredProvider.Details? {
        guard let issuer = self[\.issuer], let algorithms = self[\.algorithms],
            let rules = rules(issuers: [issuer], algorithms: algorithms, emailRule: .claim)
        else { return nil }
        return .openID(rules, self[\.keysURL].map { .keySet(url: $0) } ?? .discovery(issuer: issuer))
    }

    private var google: ConfiguredProvider.Details? {
        let issuer = self[\.issuer]
        let issuers = issuer.map { [$0] } ?? Google.issuers
        guard let rules = rules(issuers: issuers, algorithms: [.RS256], emailRule: .google) else { return nil }
        // The keys of another issuer are not Google's.
        let keys = issuer.map { KeySetAddress.discovery(issuer: $0) } ?? .keySet(url: Google.keysURL)
        return .google(rules, self[\.keysURL].map { .keySet(url: $0) } ?? keys)
    }

    private func rules(
        issuers: [String], algorithms: [Algorithm], emailRule: TokenRules.EmailRule
    ) -> TokenRules? {
        guard let audiences = self[\.audiences], let nonce = self[\.nonce], let maximumAge = self[\.maximumAge] else {
            return nil
        }
        return .openID(
            issuers: issuers, audiences: audiences, authorizedParties: self[\.authorizedParties] ?? [],
            algorithms: algorithms, nonce: nonce, maximumAge: maximumAge, required: self[\.required] ?? [],
            emailRule: emailRule)
    }

    private var weChat: ConfiguredProvider.Details? {
        guard let id = self[\.appID], let secret = self[\.appSecret], let url = self[\.apiURL] else { return nil }
        return .weChat(WeChatApp(id: id, secret: secret, apiURL: url))
    }

    private var qq: ConfiguredProvider.Details? {
        guard let id = self[\.appID], let key = self[\.appKey], let url = self[\.apiURL] else { return nil }
        return .qq(QQApp(id: id, key: key, apiURL: url))
    }
}

/// What Google publishes about itself.
private enum Google {
    /// Google writes its issuer in two ways.
    static let issuers = ["https://accounts.google.com", "accounts.google.com"]
    static let keysURL = "https://www.googleapis.com/oauth2/v3/certs"
    static let pageURL = "https://accounts.google.com/o/oauth2/v2/auth"
    static let tokenURL = "https://oauth2.googleapis.com/token"
}
