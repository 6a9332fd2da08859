/// The response of a responder.
package struct ClientResponse: Sendable, Equatable {
    package let status: Int
    package let body: [UInt8]
}

extension ClientResponse {
    /// Reads the records of a response, up to FCGI_END_REQUEST.
    init(readingRecords bytes: [UInt8], longest: Int) throws(ClientFault) {
        guard !bytes.isEmpty else { throw .closedWithoutResponse }
        var walk = RecordWalk()
        var output: [UInt8] = []
        while true {
            let header: RecordHeader?
            do { header = try walk.next(in: bytes.span) } catch { throw .malformed }
            guard let header, walk.content.upperBound <= bytes.count else { throw .truncated }
            if header.type == .endRequest { break }
            if header.type == .standardOutput { output += bytes[walk.content] }
            guard output.count <= longest else { throw .tooLong }
        }
        try self.init(readingCGI: output)
    }

    /// Reads the CGI header, whose first line is the status, and the body after the empty line.
    private init(readingCGI bytes: [UInt8]) throws(ClientFault) {
        let start = Array("Status: ".utf8)
        guard bytes.starts(with: start), let emptyLine = bytes.firstRange(of: Array("\r\n\r\n".utf8)),
            let status = Int(String(decoding: bytes[start.count...].prefix(3), as: UTF8.self))
        else { throw .malformed }
        self.init(status: status, body: Array(bytes[emptyLine.upperBound...]))
    }
}
