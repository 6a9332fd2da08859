import Gatehouse

/// The documents that other programs read: public keys, descriptions of the API.
package struct PublishedDocuments: Sendable {
    /// The public keys that verify access tokens; nil when no key can be published.
    package let keySet: PublishedDocument?
    /// The description of every endpoint.
    package let openAPI: PublishedDocument
    /// The same without the endpoints that only the machine itself reaches.
    package let openAPIForClients: PublishedDocument

    package init(keySet: PublishedDocument?, openAPI: PublishedDocument, openAPIForClients: PublishedDocument) {
        self.keySet = keySet
        self.openAPI = openAPI
        self.openAPIForClients = openAPIForClients
    }

    var endpoints: [any Endpoint] {
        [
            // A key is published for longer than clients may cache the set before it signs.
            PublishedDocumentEndpoint(
                path: "/.well-known/jwks.json", type: "application/jwk-set+json", document: keySet),
            PublishedDocumentEndpoint(path: "/api/openapi.json", type: "application/json", document: openAPI),
            PublishedDocumentEndpoint(
                path: "/api/openapi-clients.json", type: "application/json", document: openAPIForClients),
        ]
    }
}

/// `GET` of a published document.
///
/// The route exists also without the document, and then answers 404: the set of routes must not depend on settings.
private struct PublishedDocumentEndpoint: Endpoint {
    let method = Method.get
    let path: String
    let type: FieldValue
    let document: PublishedDocument?

    /// Without a document, every method gets 404.
    var answersAnyRequest: Bool { document == nil }

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        guard let document else { throw Problem.notFound }
        return document.response(to: request, type: type)
    }
}
