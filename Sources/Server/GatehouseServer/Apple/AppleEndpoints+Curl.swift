import Curl
package import IdentityProviders

extension AppleEndpoints {
    /// Apple's endpoints over HTTPS; nil if the settings contain no credentials for them.
    package init?(_ configuration: Configuration) {
        guard let server = configuration.appleServer else { return nil }
        self.init(server, issuers: configuration.apple.issuers, web: configuration.appleWebClient)
    }

    package init(_ server: AppleServerSettings, issuers: [String], web: AppleWebClient?) {
        let client = HTTPClient()
        self.init(at: server.addresses, issuers: issuers, secrets: server.secrets, web: web) {
            (url, form) throws(HTTPFault) in try client.post(url, form: form)
        }
    }
}

extension AppleMigrationEndpoint {
    /// Apple's endpoint over HTTPS. No request waits for it, so it may take longer than those of a login.
    package convenience init(_ server: AppleServerSettings) {
        let client = HTTPClient(timeout: .seconds(20))
        self.init(at: server.addresses, secrets: server.secrets) { (url, form, token) throws(HTTPFault) in
            try client.post(url, form: form, headers: token.map { [("Authorization", "Bearer " + $0)] } ?? [])
        }
    }
}
