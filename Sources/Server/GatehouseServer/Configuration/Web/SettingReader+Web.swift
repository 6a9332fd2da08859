import Gatehouse
import IdentityProviders

extension SettingReader {
    /// What browsers may do. Adds the faults of addresses that need development or an origin of this server.
    mutating func webPolicy(at publicAddress: PublicAddressSetting) -> WebPolicy {
        let issuer = PublicAddress(self[\.tokenIssuer])
        let origin = (publicAddress.address ?? issuer)?.description
        let table = Settings.table
        let addresses = self[\.redirectURIs] ?? []
        let isDevelopment = self[\.environment] == .development
        if !isDevelopment {
            for (index, address) in addresses.enumerated() {
                do throws(RedirectURI.Fault) { _ = try RedirectURI(address.text) } catch {
                    addFault(table.redirectURIs.name, SettingList.place(index, of: addresses.count) + error.message)
                }
            }
        }
        let origins = self[\.corsOrigins] ?? []
        for (index, origin) in origins.enumerated() where !isDevelopment && origin.hasPrefix("http://") {
            let place = SettingList.place(index, of: origins.count)
            addFault(table.corsOrigins.name, place + "has http: http://localhost needs APP_ENV=development")
        }
        // A faulty `PUBLIC_URL` is reported already.
        if isSet(\.redirectURIs), origin == nil, self[\.publicURL] != nil || !isSet(\.publicURL) {
            addFault(
                table.redirectURIs.name,
                "needs \(table.publicURL.name), or an https origin as \(table.tokenIssuer.name): browsers come back to it from "
                    + "the providers")
        }
        return WebPolicy(
            redirectURIs: addresses, origin: origin, corsOrigins: origins,
            issuer: issuer == nil ? nil : self[\.tokenIssuer],
            order: (self[\.signInOrder] ?? []).map { $0.lowercased() }, isDevelopment: isDevelopment)
    }

    /// Nil without `APPLE_CLIENT_ID`.
    func appleWebClient(by policy: WebPolicy) -> AppleWebClient? {
        self[\.appleClientID].map {
            AppleWebClient(id: $0, pageURL: self[\.appleAuthorizationURL], callback: policy.callback(of: .apple))
        }
    }

    /// Warns of clients that no browser can use, and of addresses that no client can use.
    mutating func warnOfUnusedClients(_ providers: [ConfiguredProvider], apple: AppleWebClient?) {
        let table = Settings.table
        let (redirectURIs, clientID) = (table.redirectURIs.name, ProviderSettings.table.clientID.name)
        let files = providers.filter { $0.web != nil }.map { "\(clientID) of \($0.name.lowercaseName).conf" }
        let clients = (apple == nil ? [] : [table.appleClientID.name]) + files
        if isSet(\.redirectURIs), clients.isEmpty {
            warn(
                "\(redirectURIs) is set, and neither \(table.appleClientID.name) nor \(clientID) of a provider: no browser can "
                    + "sign in")
        } else if !isSet(\.redirectURIs), !clients.isEmpty {
            warn("\(redirectURIs) is not set: no browser can sign in with \(clients.joined(separator: ", "))")
        }
    }
}
