import Gatehouse

/// The documents that other programs read: public keys, metadata, descriptions of the API.
package struct PublishedDocuments: Sendable {
    /// The public keys that verify access tokens; nil when no key can be published.
    package let keySet: PublishedDocument?
    /// What OAuth clients look up about this server; nil if its issuer is not its address.
    package let metadata: PublishedDocument?
    /// Makes the description of every endpoint at its first request: it took half of the time of a start.
    package let openAPI: @Sendable () -> PublishedDocument
    /// The same without the endpoints that only the machine itself reaches.
    package let openAPIForClients: @Sendable () -> PublishedDocument

    package init(
        keySet: PublishedDocument?, metadata: PublishedDocument?, openAPI: @escaping @Sendable () -> PublishedDocument,
        openAPIForClients: @escaping @Sendable () -> PublishedDocument
    ) {
        self.keySet = keySet
        self.metadata = metadata
        self.openAPI = openAPI
        self.openAPIForClients = openAPIForClients
    }

    var endpoints: [any Endpoint] {
        [
            // A key is published for longer than clients may cache the set before it signs.
            PublishedDocumentEndpoint(
                path: "/.well-known/jwks.json", type: "application/jwk-set+json", document: keySet.map(Self.made)),
            PublishedDocumentEndpoint(
                path: "/.well-known/oauth-authorization-server", type: "application/json",
                document: metadata.map(Self.made)),
            // The same document, where libraries for OpenID Connect look.
            PublishedDocumentEndpoint(
                path: "/.well-known/openid-configuration", type: "application/json", document: metadata.map(Self.made)),
            PublishedDocumentEndpoint(path: "/api/openapi.json", type: "application/json", document: openAPI),
            PublishedDocumentEndpoint(
                path: "/api/openapi-clients.json", type: "application/json", document: openAPIForClients),
        ]
    }

    /// A document that is there already.
    private static func made(_ document: PublishedDocument) -> @Sendable () -> PublishedDocument { { document } }
}

/// `GET` of a published document.
///
/// The route exists also without the document, and then answers 404: the set of routes must not depend on settings.
private struct PublishedDocumentEndpoint: Endpoint {
    let method = Method.get
    let path: String
    let type: FieldValue
    let document: (@Sendable () -> PublishedDocument)?

    /// Without a document, every method gets 404.
    var answersAnyRequest: Bool { document == nil }

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        guard let document else { throw Problem.notFound }
        return document().response(to: request, type: type)
    }
}
