package import AppleID
import Curl

extension AppleEndpoints {
    /// Apple's endpoints over HTTPS, within the bounds that `HTTPClient` sets. Nil where nothing is set that they would
    /// know us by.
    package init?(_ configuration: Configuration) {
        guard let server = configuration.appleServer else { return nil }
        self.init(server, issuers: configuration.apple.issuers)
    }

    package init(_ server: AppleServerSettings, issuers: [String]) {
        let client = HTTPClient()
        self.init(at: server.addresses, issuers: issuers, secrets: server.secrets) {
            (url, form) throws(FormFault) in
            do throws(HTTPFault) {
                let answer = try client.post(url, form: form)
                return FormAnswer(status: answer.status, body: answer.body)
            } catch {
                throw FormFault(error.description)
            }
        }
    }
}
