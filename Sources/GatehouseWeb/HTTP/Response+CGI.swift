extension Response {
    /// Writes the answer in the form that CGI fronts read: a header block that begins with the status, then the body.
    ///
    /// What every answer carries is said here, once: none belongs in a cache, unless it says so itself. It is said in
    /// literals: of an array all threads would count the references in one place, and fight for it.
    ///
    /// - Parameter method: that of the request. A HEAD gets the header of a GET, with its length, and no body (RFC 3875,
    ///   section 4.3.3).
    package func write(answering method: String, requestID: String, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: StatusLine.of(status).utf8)
        bytes.append(contentsOf: "X-Request-Id: ".utf8)
        bytes.append(contentsOf: requestID.utf8)
        bytes.append(contentsOf: (header("Cache-Control") == nil ? "\r\nCache-Control: no-store\r\n" : "\r\n").utf8)
        for header in headers { bytes.put(header) }
        if mayHaveBody { bytes.put(Header("Content-Length", FieldValue(body.count))) }
        bytes.append(contentsOf: "\r\n".utf8)
        if method != "HEAD" { bytes.append(contentsOf: body) }
    }

    /// RFC 9110, section 8.6: these have none, and a length in a 304 is that of the answer it stands for.
    private var mayHaveBody: Bool { status != 204 && status != 304 }
}

extension [UInt8] {
    fileprivate mutating func put(_ header: Response.Header) {
        append(contentsOf: header.name.utf8)
        append(UInt8(ascii: ":"))
        append(UInt8(ascii: " "))
        append(contentsOf: header.value.text.utf8)
        append(UInt8(ascii: "\r"))
        append(UInt8(ascii: "\n"))
    }
}
