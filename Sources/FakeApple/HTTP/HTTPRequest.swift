/// As much of an HTTP/1.1 request as the fake Apple needs.
struct HTTPRequest: Equatable {
    static let largest = 65_536

    let method: String
    let path: String
    /// Nil where there is no Host header, or more than one.
    let host: String?
    let contentType: String?
    let body: [UInt8]

    init(method: String, path: String, host: String? = nil, contentType: String? = nil, body: [UInt8] = []) {
        self.method = method
        self.path = path
        self.host = host
        self.contentType = contentType
        self.body = body
    }

    enum Progress: Equatable {
        case incomplete
        case malformed
        case complete(HTTPRequest)
    }

    /// Reads what has arrived so far.
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
        let mark = Array("\r\n\r\n".utf8)
        return bytes.indices.first { bytes[$0...].starts(with: mark) }.map { $0 + mark.count }
    }

    /// Zero where nothing is said, nil where it cannot be believed.
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
