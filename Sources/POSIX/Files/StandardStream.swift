/// Where a command speaks: answers on one stream, complaints on the other.
package enum StandardStream: Int32, Sendable {
    case output = 1
    case error = 2

    /// Writes a line in one piece, so that lines of several threads do not mix. Nobody listening is no fault.
    package func line(_ text: String) {
        try? File.write(Array((text + "\n").utf8), to: rawValue, named: "stream")
    }
}
