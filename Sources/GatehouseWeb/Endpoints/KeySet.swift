import Gatehouse

/// `GET /.well-known/jwks.json`: the public keys that verify access tokens.
///
/// The route exists also when no key can be published, and then answers 404: the set of routes
/// must not depend on settings.
struct KeySetEndpoint: Endpoint {
    let method = Method.get
    let path = "/.well-known/jwks.json"
    let keySet: PublishedDocument?

    /// Without a document, every method gets 404.
    var answersAnyRequest: Bool { keySet == nil }

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        guard let keySet else { throw Problem.notFound }
        // A key is published for longer than clients may cache the set before it signs.
        return keySet.response(to: request, type: "application/jwk-set+json")
    }
}
