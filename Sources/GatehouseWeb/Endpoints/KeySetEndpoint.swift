/// `GET /.well-known/jwks.json`: the keys that others verify our access tokens with.
///
/// It is there also while no key can be published, and says so: which routes there are does not hang on the settings.
struct KeySetEndpoint: Endpoint {
    let method = Method.get
    let path = "/.well-known/jwks.json"
    let keySet: PublishedDocument?

    /// There is no method that would do where there is nothing.
    var answersAnyRequest: Bool { keySet == nil }

    func respond(to request: Request) throws(Problem) -> Response {
        guard let keySet else { throw .notFound }
        // A key is published for longer than this before it signs.
        var headers = [Response.Header("Cache-Control", "public, max-age=300")]
        if let tag = Response.Header("ETag", checking: "\"\(keySet.tag)\"") { headers.append(tag) }
        guard !request.hasCopy(tagged: keySet.tag) else { return Response(status: 304, headers: headers) }
        let type = Response.Header("Content-Type", "application/jwk-set+json")
        return Response(status: 200, headers: [type] + headers, body: keySet.bytes)
    }
}
