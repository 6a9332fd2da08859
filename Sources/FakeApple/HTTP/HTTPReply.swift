import JSON

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

    /// With the connection's end announced: there is one request on each.
    var bytes: [UInt8] {
        var head = "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: \(body.count)\r\n"
        if let location { head += "Location: \(location)\r\n" }
        return Array((head + "Connection: close\r\n\r\n").utf8) + body
    }
}
