/// A request as the service behind the guard received it.
struct UpstreamRequest: Sendable {
    let bytes: [UInt8]
    let method: String
    let target: String
    /// In order, with names as they were sent.
    let headers: [(name: String, value: String)]
    let body: [UInt8]

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Nil while the request is incomplete.
    init?(whole bytes: [UInt8]) {
        guard let end = bytes.indices.first(where: { bytes[$0...].starts(with: "\r\n\r\n".utf8) }) else { return nil }
        var lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
        let words = lines.removeFirst().split(separator: " ")
        guard words.count == 3 else { return nil }
        self.bytes = bytes
        method = String(words[0])
        target = String(words[1])
        headers = lines.map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), String(parts.last?.drop { $0 == " " } ?? ""))
        }
        body = Array(bytes[(end + 4)...])
        guard body.count >= values(of: "Content-Length").first.flatMap({ Int($0) }) ?? 0 else { return nil }
    }

    func values(of name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
}
