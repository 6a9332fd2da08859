/// A response of the service behind the guard.
struct UpstreamResponse: Sendable {
    var status = "200 OK"
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []

    /// Has `Connection: close`, because each connection carries one request.
    var bytes: [UInt8] {
        var head = "HTTP/1.1 \(status)\r\nContent-Length: \(body.count)\r\nConnection: close\r\n"
        for header in headers { head += "\(header.name): \(header.value)\r\n" }
        return Array((head + "\r\n").utf8) + body
    }
}
