import Gatehouse

/// The documents that other programs read: public keys, metadata, descriptions of the API.
package struct PublishedDocuments: Sendable {
    /// The public keys that verify access tokens; nil when no key can be published.
    package let keySet: PublishedDocument?
    /// What OAuth clients look up about this server; nil if its issuer is not its address.
    package let metadata: PublishedDocument?
    /// What phones, browsers and password managers read about passkeys.
    package let passkeys: PasskeyDocuments
    /// Makes the description of every endpoint at its first request: it took half of the time of a start.
    package let openAPI: @Sendable () -> PublishedDocument
    /// The same without the endpoints that only the machine itself reaches.
    package let openAPIForClients: @Sendable () -> PublishedDocument

    package init(
        keySet: PublishedDocument?, metadata: PublishedDocument?, passkeys: PasskeyDocuments,
        openAPI: @escaping @Sendable () -> PublishedDocument,
        openAPIForClients: @escaping @Sendable () -> PublishedDocument
    ) {
        self.keySet = keySet
        self.metadata = metadata
        self.passkeys = passkeys
        self.openAPI = openAPI
        self.openAPIForClients = openAPIForClients
    }

    var routes: [Route] {
        [
            // A key is published for longer than clients may cache the set before it signs.
            Self.route("/.well-known/jwks.json", "application/jwk-set+json", keySet.map(Self.made)),
            Self.route("/.well-known/oauth-authorization-server", "application/json", metadata.map(Self.made)),
            // The same document, where libraries for OpenID Connect look.
            Self.route("/.well-known/openid-configuration", "application/json", metadata.map(Self.made)),
            Self.route(PasskeyDocuments.iOSPath, "application/json", passkeys.iOS.map(Self.made)),
            Self.route(PasskeyDocuments.androidPath, "application/json", passkeys.android.map(Self.made)),
            Self.route(PasskeyDocuments.originsPath, "application/json", passkeys.relatedOrigins.map(Self.made)),
            Self.route(PasskeyDocuments.pagesPath, "application/json", passkeys.pages.map(Self.made)),
            Self.route("/api/openapi.json", "application/json", openAPI),
            Self.route("/api/openapi-clients.json", "application/json", openAPIForClients),
        ]
    }

    /// The route exists also without the document, and then answers 404 to every method: the set of routes must not depend on
    /// settings.
    private static func route(
        _ path: String, _ type: FieldValue, _ document: (@Sendable () -> PublishedDocument)?
    ) -> Route {
        Route(
            .get, path, access: .open,
            { request, _ in
                guard let document else { throw Problem.notFound }
                return document().response(to: request, type: type)
            }, Route.Options(answersAnyRequest: document == nil))
    }

    /// A document that is there already.
    private static func made(_ document: PublishedDocument) -> @Sendable () -> PublishedDocument { { document } }
}

/// The files below `/.well-known/` that belong to the domain of passkeys. Each is nil if nothing is to be published in it.
package struct PasskeyDocuments: Sendable {
    package static let iOSPath = "/.well-known/apple-app-site-association"
    package static let androidPath = "/.well-known/assetlinks.json"
    package static let originsPath = "/.well-known/webauthn"
    package static let pagesPath = "/.well-known/passkey-endpoints"

    /// The apps of iOS that share passkeys with the domain.
    package let iOS: PublishedDocument?
    /// Those of Android.
    package let android: PublishedDocument?
    /// Other domains whose pages may use the passkeys (WebAuthn, section 5.11).
    package let relatedOrigins: PublishedDocument?
    /// Where a user adds and manages passkeys.
    package let pages: PublishedDocument?

    package init(
        iOS: PublishedDocument? = nil, android: PublishedDocument? = nil, relatedOrigins: PublishedDocument? = nil,
        pages: PublishedDocument? = nil
    ) {
        (self.iOS, self.android, self.relatedOrigins, self.pages) = (iOS, android, relatedOrigins, pages)
    }
}

/// A document that stays the same until the next reload. It contains no secret, so clients may cache it.
package struct PublishedDocument: Sendable {
    package let bytes: [UInt8]
    /// An entity tag without its quotes (RFC 9110, section 8.8.3): it identifies these bytes.
    package let tag: String

    package init(bytes: [UInt8], tag: String) {
        (self.bytes, self.tag) = (bytes, tag)
    }

    /// The document, or 304 for a client that has a copy.
    func response(to request: Request, type: FieldValue) -> Response {
        var headers = [Response.Header("Cache-Control", "public, max-age=300")]
        if let tag = Response.Header("ETag", checking: "\"\(tag)\"") { headers.append(tag) }
        guard !request.hasCopy(tagged: tag) else { return Response(status: 304, headers: headers) }
        return Response(status: 200, headers: [Response.Header("Content-Type", type)] + headers, body: bytes)
    }
}
