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
        let name = cookie.rawValue.utf8
        var (rest, value): (ArraySlice<UInt8>, ArraySlice<UInt8>?) = (field, nil)
        while !rest.isEmpty {
            let pair = rest.prefix { $0 != UInt8(ascii: ";") }
            rest = rest.dropFirst(pair.count + 1)
            let known = pair.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            guard known.starts(with: name), known.dropFirst(name.count).first == UInt8(ascii: "=") else { continue }
            guard value == nil else { return nil }
            value = known.dropFirst(name.count + 1)
        }
        return value.flatMap { $0.isEmpty ? nil : String(decoding: $0, as: UTF8.self) }
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
        guard isPermittedPage(by: policy) else { throw .originNotAllowed }
    }

    /// Refuses a login of a page whose browser would drop the cookie: with `SameSite=Lax` it is for pages of this site alone, and
    /// plain HTTP is another site than HTTPS. Its session would be left behind, and the next reload would sign the user out.
    func requirePageOfThisSite(by policy: WebPolicy) throws(Refusal) {
        try requireOrigin(by: policy)
        guard text(of: .fetchSite) != "cross-site" else { throw .pageOfAnotherSite }
    }

    fileprivate func isPermittedPage(by policy: WebPolicy) -> Bool {
        guard let origin = text(of: .origin), policy.permits(origin: origin) else { return false }
        return text(of: .fetchSite) != "cross-site" || policy.corsOrigins.contains(origin)
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

    /// Ends the session in the browser's cookie, and removes the cookie. The cookie's session may differ from the
    /// session of the access token, which the request has ended; once the cookie is removed, the browser could not end
    /// the cookie's session any more. For a page of an origin that may not use the cookie, nothing happens. If the
    /// session cannot be ended, the cookie stays.
    func endingSession(
        of request: Request, by auth: AuthService, in context: RequestContext
    ) throws(Refusal) -> Response {
        guard let token = request.cookie(.session), request.isPermittedPage(by: auth.web) else { return self }
        var context = context
        do throws(Refusal) {
            try auth.logOut(refreshToken: token, proof: request.proof, from: request.device, in: &context)
        } catch .storageUnavailable(let failure) {
            throw .storageUnavailable(failure)
        } catch .invalidRefreshToken, .notARefreshToken {
            // No session has this token.
        } catch {
            return self
        }
        return removingSession
    }

    /// Removes the cookie of a session that has ended.
    var removingSession: Response {
        var response = self
        response.headers += [Cookie.session.removal].compactMap(\.self)
        return response
    }
}
