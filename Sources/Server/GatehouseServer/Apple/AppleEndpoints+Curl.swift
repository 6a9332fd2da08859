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
