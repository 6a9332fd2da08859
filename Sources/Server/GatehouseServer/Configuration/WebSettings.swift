import Gatehouse
import IdentityProviders
import Text

/// Signing in through a browser.
package struct WebSettings: Sendable {
    let redirectURIs = Setting(
        "REDIRECT_URIS", .redirectURIs, "Addresses at which signing in through a browser may end.",
        details: """
            Without them, it is off. A request has to name one of them byte for byte; only the port of `127.0.0.1` and \
            `[::1]` may be any. With `APP_ENV=development`, `http://localhost` with a port is permitted as well. It needs \
            `PUBLIC_URL`, or an https origin as `TOKEN_ISSUER` where that is `off`: browsers come back there from the providers.
            """)
    let corsOrigins = Setting(
        "CORS_ORIGINS", .origins, "Origins of other servers whose pages may call the API.",
        details: """
            They may also use the session in the browser's cookie, so they have to be as trustworthy as this server. Set \
            exactly the same line in `nginx.values`, for guarded locations and nginx's own errors. With \
            `APP_ENV=development`, `http://localhost` with a port is permitted as well.
            """)
    let signInOrder = Setting(
        "SIGN_IN_ORDER", .list(of: "names of ways to sign in"),
        "The order in which pages show the ways to sign in, such as google,apple,phone.",
        details: "The others follow by their names. `GET /api/auth/ways` has this order.")
}

extension SettingReader<Settings> {
    /// What browsers may do. Adds the faults of addresses that need development or an origin of this server.
    mutating func webPolicy(at publicAddress: PublicAddressSetting) -> WebPolicy {
        let issuer = PublicAddress(self[\.process.tokenIssuer])
        let origin = (publicAddress.address ?? issuer)?.description
        let table = Settings.table
        let addresses = self[\.web.redirectURIs] ?? []
        let isDevelopment = self[\.process.environment] == .development
        if !isDevelopment {
            for (index, address) in addresses.enumerated() {
                do throws(RedirectURI.Fault) { _ = try RedirectURI(address.text) } catch {
                    addFault(table.web.redirectURIs.name, SettingList.place(index, of: addresses.count) + error.message)
                }
            }
        }
        let origins = self[\.web.corsOrigins] ?? []
        for (index, origin) in origins.enumerated() where !isDevelopment && origin.hasPrefix("http://") {
            let place = SettingList.place(index, of: origins.count)
            addFault(table.web.corsOrigins.name, place + "has http: http://localhost needs APP_ENV=development")
        }
        // A faulty `PUBLIC_URL` is reported already.
        if isSet(\.web.redirectURIs), origin == nil, self[\.process.publicURL] != nil || !isSet(\.process.publicURL) {
            addFault(
                table.web.redirectURIs.name,
                "needs \(table.process.publicURL.name), or an https origin as \(table.process.tokenIssuer.name): browsers come back to it from "
                    + "the providers")
        }
        return WebPolicy(
            redirectURIs: addresses, origin: origin, corsOrigins: origins,
            issuer: issuer == nil ? nil : self[\.process.tokenIssuer],
            order: (self[\.web.signInOrder] ?? []).map { $0.lowercased() }, isDevelopment: isDevelopment)
    }

    /// Warns of clients that no browser can use, and of addresses that no client can use.
    mutating func warnOfUnusedClients(_ providers: [ConfiguredProvider], apple: AppleWebClient?) {
        let table = Settings.table
        let (redirectURIs, clientID) = (table.web.redirectURIs.name, ProviderSettings.table.clientID.name)
        let files = providers.filter { $0.web != nil }.map { "\(clientID) of \($0.name.lowercaseName).conf" }
        let clients = (apple == nil ? [] : [table.apple.clientID.name]) + files
        if isSet(\.web.redirectURIs), clients.isEmpty {
            warn(
                "\(redirectURIs) is set, and neither \(table.apple.clientID.name) nor \(clientID) of a provider: no browser can "
                    + "sign in")
        } else if !isSet(\.web.redirectURIs), !clients.isEmpty {
            warn("\(redirectURIs) is not set: no browser can sign in with \(clients.joined(separator: ", "))")
        }
    }
}

// MARK: - Forms of values

extension SettingParser where Value == String {
    /// The id that a provider has given to a client. Each provider has a form of its own.
    static var clientID: Self {
        Self("up to 256 printable ASCII characters without blanks") { text in
            (1...256).contains(text.utf8.count) && text.utf8.allSatisfy(\.isVisible) ? text : nil
        }
    }

    /// The page of a provider, whose query may have parameters already (RFC 6749, section 3.1).
    static var pageURL: Self {
        let url = fetchURL
        return Self(url.format + ", without a fragment") { text in
            var faults: [String] = []
            return text.contains("#") ? nil : url.parse(text, &faults)
        }
    }

    /// What is asked of an OpenID provider (RFC 6749, section 3.3). Without `openid`, it gives no identity token.
    static var scopes: Self {
        Self("scopes separated by blanks, one of them openid") { text in
            let scopes = text.split(separator: " ")
            let arePlain = scopes.allSatisfy {
                $0.utf8.allSatisfy { $0.isVisible && $0 != 0x22 && $0 != 0x5C }
            }
            return arePlain && scopes.contains("openid") ? scopes.joined(separator: " ") : nil
        }
    }
}

extension SettingParser where Value == [RedirectURI] {
    /// `SettingReader` refuses what is permitted in development only.
    static var redirectURIs: Self {
        let format = "a list, separated by commas, of \(RedirectURI.Fault.forms)"
        return Self(format) { text, faults in
            let list = SettingList(text)
            var addresses: [RedirectURI] = []
            for (place, entry) in list.entries {
                do throws(RedirectURI.Fault) {
                    addresses.append(try RedirectURI(entry, permitsLocalhost: true))
                } catch { faults.append(place + error.message) }
            }
            return addresses.count == list.entries.count ? addresses : nil
        }
    }
}

extension SettingParser where Value == [String] {
    /// Origins as browsers send them. `SettingReader` refuses what is permitted in development only.
    static var origins: Self {
        let format = "a list of https origins separated by commas, such as https://app.example.com"
        return Self(format) { text, faults in
            let list = SettingList(text)
            var origins: [String] = []
            for (place, entry) in list.entries {
                if let origin = origin(entry) {
                    origins.append(origin)
                } else {
                    let isWildcard = entry.contains("*")
                    faults.append(
                        place
                            + (isWildcard
                                ? "has a *: each origin has to be written out"
                                : "must be an https origin without a path, such as https://app.example.com; in development, "
                                    + "http only as http://localhost with a port"))
                }
            }
            return origins.count == list.entries.count ? origins : nil
        }
    }

    /// An origin as browsers send it; nil for a text that is none.
    static func origin(_ text: String) -> String? {
        if let address = PublicAddress(text) { return address.description }
        guard let match = text.wholeMatch(of: /http:\/\/localhost(?::([0-9]{1,5}))?/) else { return nil }
        guard let digits = match.1 else { return text }
        // A browser leaves out the port that the scheme has anyway.
        return UInt16(digits: digits).flatMap { $0 == 0 ? nil : "http://localhost" + ($0 == 80 ? "" : ":\($0)") }
    }
}

/// The entries of a list, each with its place for messages.
struct SettingList {
    let entries: [(place: String, text: String)]

    init(_ text: String) {
        let texts = text.split(separator: ",", omittingEmptySubsequences: false).map { String($0).trimmingWhiteSpace }
        entries = texts.enumerated().map { (Self.place($0, of: texts.count), $1) }
    }

    /// The value itself is not shown: it may be a secret that was put into the wrong setting.
    static func place(_ index: Int, of count: Int) -> String { count == 1 ? "" : "entry \(index + 1) " }
}

extension RedirectURI.Fault {
    static let forms =
        "https URLs, addresses with a scheme of an app such as com.example.app:/login, and http URLs of 127.0.0.1 or [::1]"

    var message: String {
        switch self {
        case .notAnAddress: "must be one of: " + Self.forms
        case .hasFragment: "has a fragment (#), and the code has to come in the query"
        case .hasUserInformation: "has a user name before its host"
        case .hasWildcard: "has a *: each address has to be written out"
        case .schemeWithoutDot:
            "has a scheme without a dot, which may be another app's: take one such as com.example.app"
        case .forbiddenScheme: "has a scheme that belongs to no app"
        case .plainHTTP:
            "has http to another host than 127.0.0.1 or [::1]; http://localhost with a port needs APP_ENV=development"
        }
    }
}
