import JSON

/// An answer of the fake Apple.
struct HTTPReply {
    let status: String
    let body: [UInt8]

    static func ok(_ body: [UInt8]) -> HTTPReply { HTTPReply(status: "200 OK", body: body) }

    static func refusal(_ status: String, _ message: String) -> HTTPReply {
        let body: JSONObject = ["error": .string(message)]
        return HTTPReply(status: status, body: body.bytes)
    }

    /// With the connection's end announced: there is one request on each.
    var bytes: [UInt8] {
        let head =
            "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: \(body.count)\r\n"
            + "Connection: close\r\n\r\n"
        return Array(head.utf8) + body
    }
}
