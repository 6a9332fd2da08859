import DevelopmentHTTP
import JSON

/// One request of a browser or of a client, as the page orders it.
struct HopOrder {
    /// What a browser sends and a script in a page cannot set. `HTTPUpstream` writes the host, the length and the connection.
    static let names: Set<String> = [
        "accept", "accept-language", "content-type", "cookie", "origin", "sec-fetch-site", "user-agent",
    ]

    let method: String
    let url: String
    private(set) var fields: [HTTPRequest.Field] = []
    private(set) var body: [UInt8] = []

    init(_ json: JSONObject) throws(HTTPRefusal) {
        for name in json.names where !["method", "url", "headers", "body"].contains(name) {
            throw .invalid("\(name): known are method, url, headers and body")
        }
        guard let method = json["method"]?.string, ["GET", "POST"].contains(method) else {
            throw .invalid("method must be GET or POST")
        }
        guard let url = json["url"]?.string, url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !url.contains("#")
        else {
            throw .invalid("url must be an address of visible ASCII characters without a fragment")
        }
        self.method = method
        self.url = url
        guard let headers = (json["headers"] ?? [:]).object, let text = (json["body"] ?? "").string else {
            throw .invalid("headers must be an object, and body a text")
        }
        for (name, value) in headers.members { fields.append(try Self.field(name, value)) }
        body = Array(text.utf8)
    }

    /// A line break in a value would begin another header field or another request.
    private static func field(_ name: String, _ value: JSONValue) throws(HTTPRefusal) -> HTTPRequest.Field {
        guard names.contains(name.lowercased()) else {
            throw .invalid("header \(name): known are \(names.sorted().joined(separator: ", "))")
        }
        guard let text = value.string, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw .invalid("header \(name): its value must be a text of printable ASCII characters")
        }
        return HTTPRequest.Field(name: name.lowercased(), value: text)
    }
}
