/// What a responder said.
package struct ClientAnswer: Sendable, Equatable {
    package let status: Int
    package let body: [UInt8]

    init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }

    /// Reads the records of one answer, up to the one that ends the request.
    init(readingRecords bytes: [UInt8], longest: Int) throws(ClientFault) {
        guard !bytes.isEmpty else { throw .turnedAway }
        var walk = RecordWalk()
        var output: [UInt8] = []
        while true {
            let header: RecordHeader?
            do { header = try walk.next(in: bytes.span) } catch { throw .malformed }
            guard let header, walk.content.upperBound <= bytes.count else { throw .brokenOff }
            if header.type == .endRequest { break }
            if header.type == .standardOutput { output += bytes[walk.content] }
            guard output.count <= longest else { throw .tooLong }
        }
        try self.init(readingCGI: output)
    }

    /// Reads header lines, an empty one, and the rest. Without a status it is a 200.
    private init(readingCGI bytes: [UInt8]) throws(ClientFault) {
        guard let emptyLine = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { throw .malformed }
        let head = String(decoding: bytes[..<emptyLine.lowerBound], as: UTF8.self)
        var status = 200
        for line in head.split(whereSeparator: \.isNewline) where line.lowercased().hasPrefix("status:") {
            guard let number = Int(line.dropFirst(7).drop { $0 == " " }.prefix { $0 != " " }) else { throw .malformed }
            status = number
        }
        self.init(status: status, body: Array(bytes[emptyLine.upperBound...]))
    }
}
