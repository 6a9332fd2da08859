/// As much of an HTTP/1.1 request as the fake Apple needs.
struct HTTPRequest: Equatable {
    static let largest = 65_536

    let method: String
    let path: String
    let body: [UInt8]

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
            HTTPRequest(method: String(words[0]), path: String(path), body: Array(body.prefix(length))))
    }

    private static func end(ofHeadIn bytes: [UInt8]) -> Int? {
        let mark = Array("\r\n\r\n".utf8)
        return bytes.indices.first { bytes[$0...].starts(with: mark) }.map { $0 + mark.count }
    }

    /// Zero where nothing is said, nil where it cannot be believed.
    private static func contentLength(in lines: [Substring]) -> Int? {
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "content-length" else { continue }
            return Int(parts[1].filter { $0 != " " }).flatMap { (0...largest).contains($0) ? $0 : nil }
        }
        return 0
    }
}
