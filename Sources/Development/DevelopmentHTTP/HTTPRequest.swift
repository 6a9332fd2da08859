/// The parts of an HTTP/1.1 request that a program for development needs.
package struct HTTPRequest: Equatable, Sendable {
    static let largest = 65_536

    package let method: String
    /// The path and the query, as the client sent them.
    package let target: String
    /// The header fields in their order, with names in lower case.
    package var fields: [Field] = []
    package var body: [UInt8] = []

    package init(method: String, target: String, fields: [Field] = [], body: [UInt8] = []) {
        (self.method, self.target, self.fields, self.body) = (method, target, fields, body)
    }

    package struct Field: Equatable, Sendable {
        package let name: String
        package let value: String

        /// - Parameter name: in lower case for a request.
        package init(name: String, value: String) {
            (self.name, self.value) = (name, value)
        }
    }

    /// The target without its query.
    package var path: String { String(target.prefix { $0 != "?" }) }

    /// Nil without a Host header, or with several.
    package var host: String? {
        let hosts = fields.filter { $0.name == "host" }
        return hosts.count == 1 ? hosts[0].value : nil
    }

    package var contentType: String? { self["content-type"] }

    /// The first value of a header field, whose name is given in lower case.
    package subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }
}

extension HTTPRequest {
    enum Progress: Equatable {
        case incomplete
        case malformed
        case complete(HTTPRequest)
    }

    /// Parses the bytes that have arrived.
    static func read(_ bytes: [UInt8]) -> Progress {
        guard let headEnd = end(ofHeadIn: bytes) else { return bytes.count > largest ? .malformed : .incomplete }
        var lines = String(decoding: bytes[..<headEnd], as: UTF8.self).split(separator: "\r\n")
        guard !lines.isEmpty else { return .malformed }
        let words = lines.removeFirst().split(separator: " ")
        guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { return .malformed }
        var request = HTTPRequest(
            method: String(words[0]), target: String(words[1]), fields: lines.compactMap(Field.init))
        guard let length = request.contentLength else { return .malformed }
        let body = bytes[headEnd...]
        guard body.count >= length else { return .incomplete }
        request.body = Array(body.prefix(length))
        return .complete(request)
    }

    private static func end(ofHeadIn bytes: [UInt8]) -> Int? {
        let terminator = Array("\r\n\r\n".utf8)
        return bytes.indices.first { bytes[$0...].starts(with: terminator) }.map { $0 + terminator.count }
    }

    /// Zero without the header, nil if it is invalid or there is a Transfer-Encoding.
    private var contentLength: Int? {
        guard self["transfer-encoding"] == nil else { return nil }
        guard let text = self["content-length"] else { return 0 }
        return Int(text).flatMap { (0...Self.largest).contains($0) ? $0 : nil }
    }
}

extension HTTPRequest.Field {
    /// Parses a line. Nil without a colon.
    fileprivate init?(_ line: Substring) {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        name = line[..<colon].lowercased()
        let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        self.value = String(
            value[..<(value.lastIndex { $0 != " " && $0 != "\t" }.map(value.index(after:)) ?? value.startIndex)])
    }
}
