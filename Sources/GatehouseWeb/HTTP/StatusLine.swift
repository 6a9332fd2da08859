/// The first line of an answer.
enum StatusLine {
    static func of(_ status: Int) -> String {
        switch status {
        // Nearly every answer: nothing is put together for them.
        case 200: "Status: 200 OK\r\n"
        case 204: "Status: 204 No Content\r\n"
        default: "Status: \(status) \(ReasonPhrase.of(status))\r\n"
        }
    }
}
