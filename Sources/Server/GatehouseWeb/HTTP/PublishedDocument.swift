/// A document that stays the same until the next reload. It contains no secret, so clients may cache it.
package struct PublishedDocument: Sendable {
    package let bytes: [UInt8]
    /// An entity tag without its quotes (RFC 9110, section 8.8.3): it identifies these bytes.
    package let tag: String

    package init(bytes: [UInt8], tag: String) {
        self.bytes = bytes
        self.tag = tag
    }

    /// The document, or 304 for a client that has a copy.
    func response(to request: Request, type: FieldValue) -> Response {
        var headers = [Response.Header("Cache-Control", "public, max-age=300")]
        if let tag = Response.Header("ETag", checking: "\"\(tag)\"") { headers.append(tag) }
        guard !request.hasCopy(tagged: tag) else { return Response(status: 304, headers: headers) }
        return Response(status: 200, headers: [Response.Header("Content-Type", type)] + headers, body: bytes)
    }
}
