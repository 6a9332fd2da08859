/// The records of an answer: its bytes as standard output (section 5.3), and the end of the request (section 5.5).
enum Answer {
    /// Has the content written where it is sent from, behind the header of its record. Nearly always one record holds it.
    ///
    /// - Parameter content: appends to what there is.
    static func write(to requestID: UInt16, into bytes: inout [UInt8], content: (inout [UInt8]) -> Void) {
        bytes.removeAll(keepingCapacity: true)
        appendHeader(of: 0, requestID, to: &bytes)
        content(&bytes)
        let count = bytes.count - RecordHeader.length
        if count > RecordHeader.longestContent {
            bytes = records(of: bytes.dropFirst(RecordHeader.length), requestID)
        } else {
            RecordHeader.setContentLength(count, in: &bytes)
        }
        // An empty record ends the stream: an empty content has written it already.
        if count > 0 { appendHeader(of: 0, requestID, to: &bytes) }
        Reply.appendEnd(of: requestID, .complete, to: &bytes)
    }

    /// As few records as hold the content.
    private static func records(of content: ArraySlice<UInt8>, _ requestID: UInt16) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = content
        while !rest.isEmpty {
            let part = rest.prefix(RecordHeader.longestContent)
            appendHeader(of: part.count, requestID, to: &bytes)
            bytes.append(contentsOf: part)
            rest = rest.dropFirst(part.count)
        }
        return bytes
    }

    private static func appendHeader(of count: Int, _ requestID: UInt16, to bytes: inout [UInt8]) {
        RecordHeader(type: .standardOutput, requestID: requestID, contentLength: count).append(to: &bytes)
    }
}
