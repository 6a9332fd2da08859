import DevelopmentHTTP
import JSON

/// What the console's server tells the page about one request: the answer of the API or the stand-in, and the cookies that
/// a browser would store.
struct HopAnswer {
    let status: Int
    let fields: [HTTPRequest.Field]
    let body: String

    /// - Parameter bytes: the whole answer, which is not in chunks.
    init(_ bytes: [UInt8]) throws(HTTPRefusal) {
        let end = Array("\r\n\r\n".utf8)
        guard let headEnd = bytes.indices.first(where: { bytes[$0...].starts(with: end) }) else {
            throw .failed("the server's answer has no end of its head")
        }
        let lines = String(decoding: bytes[..<headEnd], as: UTF8.self).split(separator: "\r\n")
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw .failed("the server's answer has no status")
        }
        self.status = status
        fields = lines.dropFirst().compactMap(Self.field)
        body = String(decoding: bytes[(headEnd + end.count)...], as: UTF8.self)
    }

    private static func field(_ line: Substring) -> HTTPRequest.Field? {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        return .init(name: String(line[..<colon]), value: String(line[line.index(after: colon)...].drop { $0 == " " }))
    }

    var json: JSONObject {
        let cookies = fields.filter { $0.name.lowercased() == "set-cookie" }.map { ReceivedCookie($0.value) }
        return [
            "status": .integer(Int64(status)),
            "headers": .array(fields.map { .array([.string($0.name), .string($0.value)]) }),
            "body": .string(body), "cookies": .array(cookies.map { .object($0.json) }),
        ]
    }
}
