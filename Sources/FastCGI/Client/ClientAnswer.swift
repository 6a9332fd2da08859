/// What a responder said.
package struct ClientAnswer: Sendable, Equatable {
    package let status: Int
    package let body: [UInt8]

    init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }

    /// Takes a CGI answer apart: header lines, an empty one, and the rest. Without a status it is a 200.
    init(parsing bytes: [UInt8]) throws(ClientFault) {
        guard let (head, rest) = Self.split(bytes) else { throw .malformed }
        var status = 200
        for line in head.split(whereSeparator: \.isNewline) where line.lowercased().hasPrefix("status:") {
            guard let number = Int(line.dropFirst(7).drop { $0 == " " }.prefix { $0 != " " }) else { throw .malformed }
            status = number
        }
        self.status = status
        body = rest
    }

    private static func split(_ bytes: [UInt8]) -> (head: String, body: [UInt8])? {
        let emptyLine = Array("\r\n\r\n".utf8)
        guard let range = bytes.firstRange(of: emptyLine) else { return nil }
        return (String(decoding: bytes[..<range.lowerBound], as: UTF8.self), Array(bytes[range.upperBound...]))
    }
}
