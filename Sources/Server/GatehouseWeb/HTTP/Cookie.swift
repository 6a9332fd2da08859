import Gatehouse

/// The cookies of Gatehouse. With the prefix `__Host-`, a browser accepts them over HTTPS only, and sends them to this host
/// only: no other host of the domain can set or read one.
package enum Cookie: String, Sendable {
    /// The refresh token of a page's session.
    case session = "__Host-gatehouse"
    /// Binds sign-ins to the browser that has begun them.
    case signIn = "__Host-gatehouse-login"

    /// A page that another site links to finds the session. The sign-in's cookie has to come with the form that Apple's page
    /// posts from its own site.
    private var sameSite: String {
        switch self {
        case .session: "Lax"
        case .signIn: "None"
        }
    }

    /// The header that sets the cookie; nil for a value that is not safe to write.
    func header(_ value: String, maximumAge: Duration) -> Response.Header? {
        let attributes = "Path=/; Secure; HttpOnly; SameSite=\(sameSite); Max-Age=\(maximumAge.wholeSeconds)"
        guard !value.utf8.contains(where: { ";, \"\\".utf8.contains($0) }) else { return nil }
        return Response.Header("Set-Cookie", checking: "\(rawValue)=\(value); \(attributes)")
    }

    /// The header that removes the cookie.
    var removal: Response.Header? { header("", maximumAge: .zero) }
}

extension Request {
    /// The value of a cookie. Nil if it is missing, or there twice: one of the two was not set by this server.
    func cookie(_ cookie: Cookie) -> String? {
        guard let field = bytes(of: .cookie) else { return nil }
        let name = Array(cookie.rawValue.utf8)
        let values = field.split(separator: UInt8(ascii: ";")).compactMap { pair -> ArraySlice<UInt8>? in
            let pair = pair.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            guard pair.starts(with: name), pair.dropFirst(name.count).first == UInt8(ascii: "=") else { return nil }
            return pair.dropFirst(name.count + 1)
        }
        guard values.count == 1, !values[0].isEmpty else { return nil }
        return String(decoding: values[0], as: UTF8.self)
    }

    /// The refresh token in the browser's cookie, for a page of an origin that may use it. Nil without a cookie.
    func sessionCookie(by policy: WebPolicy) throws(Refusal) -> String? {
        guard let token = cookie(.session) else { return nil }
        try requireOrigin(by: policy)
        return token
    }

    /// Refuses a request of a page that may not use the cookie. Browsers write both fields themselves. Requests of other
    /// clients have no `Origin`, and use no cookie.
    func requireOrigin(by policy: WebPolicy) throws(Refusal) {
        guard let origin = text(of: .origin), policy.permits(origin: origin) else { throw .originNotAllowed }
        guard text(of: .fetchSite) != "cross-site" || policy.corsOrigins.contains(origin) else {
            throw .originNotAllowed
        }
    }
}

extension Response {
    /// Sets the cookie of a page's session.
    func settingSession(_ tokens: TokenPair) -> Response {
        var response = self
        response.headers += [Cookie.session.header(tokens.refreshToken, maximumAge: tokens.sessionExpiresIn)]
            .compactMap(\.self)
        return response
    }

    /// Removes the cookie of a session that has ended, if the browser has one.
    func removingSession(of request: Request) -> Response {
        guard request.cookie(.session) != nil else { return self }
        var response = self
        response.headers += [Cookie.session.removal].compactMap(\.self)
        return response
    }
}
