import Curl
package import IdentityProviders

extension AppleMigrationEndpoint {
    /// Apple's endpoint over HTTPS. No request waits for it, so it may take longer than those of a login.
    package convenience init(_ server: AppleServerSettings) {
        let client = HTTPClient(timeout: .seconds(20))
        self.init(at: server.addresses, secrets: server.secrets) { (url, form, token) throws(HTTPFault) in
            try client.post(url, form: form, headers: token.map { [("Authorization", "Bearer " + $0)] } ?? [])
        }
    }
}
