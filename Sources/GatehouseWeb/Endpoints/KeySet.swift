import Gatehouse

/// A document that stays the same until the next reload.
package struct PublishedDocument: Sendable {
    package let bytes: [UInt8]
    /// An entity tag without its quotes (RFC 9110, section 8.8.3): it identifies these bytes.
    package let tag: String

    package init(bytes: [UInt8], tag: String) {
        self.bytes = bytes
        self.tag = tag
    }
}

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
        // A key is published for longer than this before it signs.
        var headers = [Response.Header("Cache-Control", "public, max-age=300")]
        if let tag = Response.Header("ETag", checking: "\"\(keySet.tag)\"") { headers.append(tag) }
        guard !request.hasCopy(tagged: keySet.tag) else { return Response(status: 304, headers: headers) }
        let type = Response.Header("Content-Type", "application/jwk-set+json")
        return Response(status: 200, headers: [type] + headers, body: keySet.bytes)
    }
}
