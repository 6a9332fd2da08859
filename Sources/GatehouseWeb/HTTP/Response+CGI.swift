extension Response {
    /// The answer in the form that CGI fronts read: a header block that begins with the status, then the body.
    ///
    /// What every answer carries is said here, once: no answer of a login server belongs in a cache.
    package func cgi(requestID: String) -> [UInt8] {
        var text = "Status: \(status) \(ReasonPhrase.of(status))\r\n"
        text += "Cache-Control: no-store\r\nX-Request-Id: \(requestID)\r\n"
        for header in headers { text += "\(header.name): \(header.value)\r\n" }
        if status != 204 { text += "Content-Length: \(body.count)\r\n" }
        text += "\r\n"
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count + body.count)
        bytes += text.utf8
        bytes += body
        return bytes
    }
}
