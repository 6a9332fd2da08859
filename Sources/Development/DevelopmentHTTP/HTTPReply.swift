package import JSON

/// An answer.
package struct HTTPReply: Sendable {
    package let status: String
    package let body: [UInt8]
    package var contentType = "application/json"
    /// Further header fields.
    package var fields: [HTTPRequest.Field] = []

    package init(status: String, body: [UInt8]) {
        (self.status, self.body) = (status, body)
    }

    package init(status: String, json: JSONObject) {
        self.init(status: status, body: json.bytes)
    }

    package static func ok(_ body: [UInt8]) -> HTTPReply { HTTPReply(status: "200 OK", body: body) }

    package static func ok(_ json: JSONObject) -> HTTPReply { HTTPReply(status: "200 OK", json: json) }

    package static func refusal(_ status: String, _ message: String) -> HTTPReply {
        HTTPReply(status: status, json: ["error": .string(message)])
    }

    /// The same answer with one more header field.
    package func adding(_ name: String, _ value: String) -> HTTPReply {
        var reply = self
        reply.fields.append(HTTPRequest.Field(name: name, value: value))
        return reply
    }

    package var statusCode: Int? { Int(status.prefix(3)) }

    /// The message, with `Connection: close`: there is one request per connection.
    package var bytes: [UInt8] {
        var head = "HTTP/1.1 \(status)\r\nContent-Type: \(contentType)\r\nContent-Length: \(body.count)\r\n"
        for field in fields { head += "\(field.name): \(field.value)\r\n" }
        return Array((head + "Connection: close\r\n\r\n").utf8) + body
    }
}

/// The action of the server for a request.
package enum HTTPAction: Sendable {
    case reply(HTTPReply, afterSeconds: Int64 = 0)
    /// The bytes of an answer of another server, which ends with its connection.
    case pass([UInt8])
    /// Sends nothing, and closes the connection after this time.
    case silence(seconds: Int64)
    /// Sends nothing until the closure returns an action, and closes the connection after this time.
    case waiting(seconds: Int64, next: @Sendable () -> HTTPAction?)
}
