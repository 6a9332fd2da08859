/// How a key server of the tests answers.
enum KeyServerManner: Sendable {
    /// With its key set.
    case behaving
    /// With these bytes, and then the end of the connection.
    case sending([UInt8])
    /// With one byte of it every now and then.
    case trickling([UInt8])
    /// Not at all, until it is told to answer otherwise.
    case hanging
    /// With the end of the connection.
    case hangingUp

    static func replying(
        status: String = "200 OK", type: String = "application/json", headers: [String] = [], _ body: [UInt8]
    ) -> Self {
        let head = ["HTTP/1.1 " + status, "Content-Type: " + type, "Content-Length: \(body.count)"] + headers
        return .sending(Array((head + ["Connection: close", "", ""]).joined(separator: "\r\n").utf8) + body)
    }

    static func replying(status: String = "200 OK", type: String = "application/json", text: String) -> Self {
        replying(status: status, type: type, Array(text.utf8))
    }

    var isHanging: Bool {
        guard case .hanging = self else { return false }
        return true
    }
}
