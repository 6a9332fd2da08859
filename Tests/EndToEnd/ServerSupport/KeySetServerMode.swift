/// How a `KeySetServer` answers.
enum KeySetServerMode: Sendable {
    /// Sends the key set.
    case normal
    /// Sends these bytes and closes the connection.
    case sending([UInt8])
    /// Sends these bytes slowly, one at a time.
    case trickling([UInt8])
    /// Does not answer until the mode changes.
    case hanging
    /// Closes the connection without an answer.
    case closing

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
