extension Response {
    /// The answer in the form that CGI fronts read: a header block that begins with the status, then the body.
    ///
    /// What every answer carries is said here, once: none belongs in a cache, unless it says so itself.
    package func cgi(requestID: String) -> [UInt8] {
        var text = "Status: \(status) \(ReasonPhrase.of(status))\r\n"
        text += "X-Request-Id: \(requestID)\r\n"
        if header("Cache-Control") == nil { text += "Cache-Control: no-store\r\n" }
        for header in headers { text += "\(header.name): \(header.value)\r\n" }
        if mayHaveBody { text += "Content-Length: \(body.count)\r\n" }
        text += "\r\n"
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + body.count)
        bytes += text.utf8
        bytes += body
        return bytes
    }

    /// RFC 9110, section 8.6: these have none, and a length in a 304 is that of the answer it stands for.
    private var mayHaveBody: Bool { status != 204 && status != 304 }
}
