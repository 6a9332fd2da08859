extension Response {
    /// Writes the answer as a CGI front reads it: a header block that begins with the status, and the body.
    ///
    /// The headers common to all answers are written here from literals: an array shared by all threads would make them
    /// contend for its reference count.
    ///
    /// - Parameter method: the request's. A HEAD gets the headers of a GET, with its length, and no body (RFC 3875,
    ///   section 4.3.3).
    package func write(answering method: String, requestID: String, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: Self.statusLine(status).utf8)
        bytes.append(contentsOf: "X-Request-Id: ".utf8)
        bytes.append(contentsOf: requestID.utf8)
        bytes.append(contentsOf: (header("Cache-Control") == nil ? "\r\nCache-Control: no-store\r\n" : "\r\n").utf8)
        for header in headers { bytes.append(header) }
        if mayHaveBody { bytes.append(Header("Content-Length", FieldValue(body.count))) }
        bytes.append(contentsOf: "\r\n".utf8)
        if method != "HEAD" { bytes.append(contentsOf: body) }
    }

    /// RFC 9110, section 8.6: 204 and 304 have no body, and the length in a 304 would be the length of the document.
    private var mayHaveBody: Bool { status != 204 && status != 304 }

    private static func statusLine(_ status: Int) -> String {
        switch status {
        // Nearly all answers have one of these, so no string is built for them.
        case 200: "Status: 200 OK\r\n"
        case 204: "Status: 204 No Content\r\n"
        default: "Status: \(status) \(ReasonPhrase.of(status))\r\n"
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ header: Response.Header) {
        append(contentsOf: header.name.utf8)
        append(UInt8(ascii: ":"))
        append(UInt8(ascii: " "))
        append(contentsOf: header.value.text.utf8)
        append(UInt8(ascii: "\r"))
        append(UInt8(ascii: "\n"))
    }
}

/// The reason phrases of the statuses in use. Without one, some fronts would send a bare number.
enum ReasonPhrase {
    static let all = [
        200: "OK",
        202: "Accepted",
        204: "No Content",
        303: "See Other",
        304: "Not Modified",
        400: "Bad Request",
        401: "Unauthorized",
        403: "Forbidden",
        404: "Not Found",
        405: "Method Not Allowed",
        409: "Conflict",
        412: "Precondition Failed",
        413: "Content Too Large",
        415: "Unsupported Media Type",
        422: "Unprocessable Content",
        428: "Precondition Required",
        429: "Too Many Requests",
        503: "Service Unavailable",
    ]

    static func of(_ status: Int) -> String {
        guard let phrase = all[status] else { preconditionFailure("no reason phrase for this status") }
        return phrase
    }
}
