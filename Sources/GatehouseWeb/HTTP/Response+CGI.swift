extension Response {
    /// The answer in the form that CGI fronts read: a header block that begins with the status, then the body.
    ///
    /// What every answer carries is said here, once: none belongs in a cache, unless it says so itself.
    package func cgi(requestID: String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.usualHead + body.count)
        bytes.put("Status: ", String(status), " ", ReasonPhrase.of(status))
        bytes.put("X-Request-Id: ", requestID)
        if header("Cache-Control") == nil { bytes.put("Cache-Control: no-store") }
        for header in headers { bytes.put(header.name, ": ", header.value) }
        if mayHaveBody { bytes.put("Content-Length: ", String(body.count)) }
        bytes.put()
        bytes += body
        return bytes
    }

    /// What the headers of nearly every answer fit into.
    private static let usualHead = 512

    /// RFC 9110, section 8.6: these have none, and a length in a 304 is that of the answer it stands for.
    private var mayHaveBody: Bool { status != 204 && status != 304 }
}

extension [UInt8] {
    /// Appends one line.
    fileprivate mutating func put(_ parts: String...) {
        for part in parts { append(contentsOf: part.utf8) }
        append(contentsOf: "\r\n".utf8)
    }
}
