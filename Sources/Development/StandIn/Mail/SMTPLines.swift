/// Splits what a client sends into lines.
struct SMTPLines {
    /// With its CRLF (RFC 5321, section 4.5.3.1.6).
    private static let longest = 1000

    enum Line: Equatable {
        /// Without its CRLF.
        case complete([UInt8])
        /// Too long, or ended by something else.
        case malformed
    }

    private var received: [UInt8] = []

    mutating func append(_ bytes: ArraySlice<UInt8>) { received += bytes }

    /// Nil until more has arrived.
    mutating func next() -> Line? {
        guard let end = received.firstIndex(of: UInt8(ascii: "\n")) else {
            return received.count > Self.longest ? .malformed : nil
        }
        let line = Array(received[..<end])
        received.removeSubrange(...end)
        guard line.last == UInt8(ascii: "\r"), line.count < Self.longest else { return .malformed }
        return .complete(Array(line.dropLast()))
    }
}
