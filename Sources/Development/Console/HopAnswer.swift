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

/// A `Set-Cookie` header, and what a browser does with it (RFC 6265bis).
struct ReceivedCookie: Equatable {
    enum Effect: String {
        case stored, removed, refused
    }

    let name: String
    let value: String
    /// As the header has them. A flag has no value.
    let attributes: [Attribute]

    struct Attribute: Equatable {
        let name: String
        let value: String?
    }

    init(_ header: String) {
        let parts = header.split(separator: ";", omittingEmptySubsequences: false).map(Self.pair)
        name = parts[0].name
        value = parts[0].value ?? ""
        attributes = parts.dropFirst().filter { !$0.name.isEmpty }
    }

    private static func pair(_ part: Substring) -> Attribute {
        let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { side in
            String(side.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        }
        return Attribute(name: sides[0], value: sides.count > 1 ? sides[1] : nil)
    }

    /// Of two attributes with one name the last counts.
    func attribute(_ name: String) -> Attribute? { attributes.last { $0.name.lowercased() == name } }

    /// Why a browser does not store it; nil if it does.
    var fault: String? {
        let isSecure = attribute("secure") != nil
        if name.isEmpty { return "It has no name." }
        if name.lowercased().hasPrefix("__host-") {
            guard isSecure, attribute("path")?.value == "/", attribute("domain") == nil else {
                return "The prefix __Host- demands Secure, Path=/ and no Domain."
            }
        }
        if name.lowercased().hasPrefix("__secure-"), !isSecure { return "The prefix __Secure- demands Secure." }
        if attribute("samesite")?.value?.lowercased() == "none", !isSecure { return "SameSite=None demands Secure." }
        return nil
    }

    var effect: Effect {
        if fault != nil { return .refused }
        return (attribute("max-age")?.value).flatMap { Int($0) }.map { $0 <= 0 } == true ? .removed : .stored
    }

    var json: JSONObject {
        [
            "name": .string(name), "value": .string(value),
            "attributes": .array(
                attributes.map { .array([.string($0.name), $0.value.map(JSONValue.string) ?? .null]) }),
            "effect": .string(effect.rawValue), "fault": fault.map(JSONValue.string) ?? .null,
        ]
    }
}
