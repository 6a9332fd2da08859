import JSON

/// The parts of an HTTP/1.1 request that the fake Apple needs.
struct HTTPRequest: Equatable {
    static let largest = 65_536

    let method: String
    let path: String
    /// Nil without a Host header, or with several.
    var host: String?
    var contentType: String?
    var body: [UInt8] = []

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
        guard words.count == 3, words[2].hasPrefix("HTTP/1."), let length = contentLength(in: lines) else {
            return .malformed
        }
        let body = bytes[headEnd...]
        guard body.count >= length else { return .incomplete }
        let path = words[1].prefix { $0 != "?" }
        return .complete(
            HTTPRequest(
                method: String(words[0]), path: String(path), host: onlyValue(of: "host", in: lines),
                contentType: value(of: "content-type", in: lines), body: Array(body.prefix(length))))
    }

    private static func end(ofHeadIn bytes: [UInt8]) -> Int? {
        let terminator = Array("\r\n\r\n".utf8)
        return bytes.indices.first { bytes[$0...].starts(with: terminator) }.map { $0 + terminator.count }
    }

    /// Zero without the header, nil if it is invalid or there is a Transfer-Encoding.
    private static func contentLength(in lines: [Substring]) -> Int? {
        guard value(of: "transfer-encoding", in: lines) == nil else { return nil }
        guard let text = value(of: "content-length", in: lines) else { return 0 }
        return Int(text).flatMap { (0...largest).contains($0) ? $0 : nil }
    }

    private static func value(of name: String, in lines: [Substring]) -> String? {
        values(of: name, in: lines).first
    }

    private static func onlyValue(of name: String, in lines: [Substring]) -> String? {
        let values = values(of: name, in: lines)
        return values.count == 1 ? values[0] : nil
    }

    private static func values(of name: String, in lines: [Substring]) -> [String] {
        lines.compactMap { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == name else { return nil }
            return String(parts[1].filter { $0 != " " && $0 != "\t" })
        }
    }
}

/// An answer of the fake Apple.
struct HTTPReply {
    let status: String
    let body: [UInt8]
    var location: String?

    init(status: String, body: [UInt8], location: String? = nil) {
        self.status = status
        self.body = body
        self.location = location
    }

    init(status: String, json: JSONObject) {
        self.init(status: status, body: json.bytes)
    }

    static func ok(_ body: [UInt8]) -> HTTPReply { HTTPReply(status: "200 OK", body: body) }

    static func ok(_ json: JSONObject) -> HTTPReply { HTTPReply(status: "200 OK", json: json) }

    static func refusal(_ status: String, _ message: String) -> HTTPReply {
        HTTPReply(status: status, json: ["error": .string(message)])
    }

    var statusCode: Int? { Int(status.prefix(3)) }

    /// The message, with `Connection: close`: there is one request per connection.
    var bytes: [UInt8] {
        var head = "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: \(body.count)\r\n"
        if let location { head += "Location: \(location)\r\n" }
        return Array((head + "Connection: close\r\n\r\n").utf8) + body
    }
}

/// The action of the server for a request.
enum HTTPAction {
    case reply(HTTPReply, afterSeconds: Int64 = 0)
    /// Sends nothing, and closes the connection after this time.
    case silence(seconds: Int64)
}
