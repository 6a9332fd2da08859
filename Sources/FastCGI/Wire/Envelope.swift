/// A whole request in the plainest records there are: what libfcgi is given to read, whatever pieces the request came
/// in. Nothing follows the request, so that libfcgi cannot read past its end.
enum Envelope {
    static func write(requestID: UInt16, parameters: [UInt8], body: [UInt8], into bytes: inout [UInt8]) {
        bytes.removeAll(keepingCapacity: true)
        bytes.reserveCapacity(parameters.count + body.count + 7 * RecordHeader.length)
        RecordHeader(type: .beginRequest, requestID: requestID, contentLength: 8).append(to: &bytes)
        bytes.append(contentsOf: beginBody)
        stream(.parameters, requestID, parameters, into: &bytes)
        stream(.standardInput, requestID, body, into: &bytes)
    }

    /// The role of a responder, and the flag that keeps libfcgi from closing the connection itself.
    private static let beginBody: [UInt8] = [0, 1, 1, 0, 0, 0, 0, 0]

    /// As few records as hold the content, then the empty one that ends the stream.
    private static func stream(
        _ type: RecordType, _ requestID: UInt16, _ content: [UInt8], into bytes: inout [UInt8]
    ) {
        var rest = content[...]
        while !rest.isEmpty {
            let part = rest.prefix(RecordHeader.longestContent)
            RecordHeader(type: type, requestID: requestID, contentLength: part.count).append(to: &bytes)
            bytes.append(contentsOf: part)
            rest = rest.dropFirst(part.count)
        }
        RecordHeader(type: type, requestID: requestID, contentLength: 0).append(to: &bytes)
    }
}
