/// The first line of an answer, as bytes that are put together once.
enum StatusLine {
    static func of(_ status: Int) -> [UInt8] {
        let line = lines[status]
        precondition(!line.isEmpty, "a status that no table of ours holds")
        return line
    }

    /// By status; empty for those that are none of ours.
    private static let lines: [[UInt8]] = (0..<600).map { status in
        ReasonPhrase.all[status].map { Array("Status: \(status) \($0)\r\n".utf8) } ?? []
    }
}
