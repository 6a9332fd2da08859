/// The records of an answer: its bytes as standard output (section 5.3), and the end of the request (section 5.5).
enum Answer {
    static func write(_ response: Response, to requestID: UInt16, into bytes: inout [UInt8]) {
        bytes.removeAll(keepingCapacity: true)
        bytes.reserveCapacity(response.count + 4 * RecordHeader.length)
        put(response.head, requestID, into: &bytes)
        put(response.body, requestID, into: &bytes)
        RecordHeader(type: .standardOutput, requestID: requestID, contentLength: 0).append(to: &bytes)
        Reply.appendEnd(of: requestID, .complete, to: &bytes)
    }

    /// As few records as hold the content: an empty one would end the stream.
    private static func put(_ content: [UInt8], _ requestID: UInt16, into bytes: inout [UInt8]) {
        var start = 0
        while start < content.count {
            let end = min(content.count, start + RecordHeader.longestContent)
            RecordHeader(type: .standardOutput, requestID: requestID, contentLength: end - start).append(to: &bytes)
            bytes.append(contentsOf: content[start..<end])
            start = end
        }
    }
}
