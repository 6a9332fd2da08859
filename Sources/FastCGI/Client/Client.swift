package import POSIX

/// Asks a responder one thing, as a front would.
package struct Client: Sendable {
    private let path: String
    private let longest: Int

    /// - Parameter longest: an answer of more bytes is not read.
    package init(path: String, longest: Int = 256 << 10) {
        self.path = path
        self.longest = longest
    }

    /// Asks the responder that listens at an address.
    package func ask(
        _ address: SocketAddress, until deadline: MonotonicTime
    ) throws(ClientFault) -> ClientAnswer {
        let socket: FileDescriptor
        do { socket = try FileDescriptor.connected(to: address, until: deadline) } catch { throw .unreachable(error) }
        return try ask(over: socket, until: deadline)
    }

    /// Asks over a connection, which does not block and cannot be used again.
    package func ask(
        over socket: borrowing FileDescriptor, until deadline: MonotonicTime
    ) throws(ClientFault) -> ClientAnswer {
        try send(request, over: socket, until: deadline)
        let records = try receive(over: socket, until: deadline)
        return try ClientAnswer(readingRecords: records, longest: longest)
    }

    /// A GET whose connection ends with its answer.
    private var request: [UInt8] {
        let parameters = [
            ("REQUEST_METHOD", "GET"), ("DOCUMENT_URI", path), ("GATEWAY_INTERFACE", "CGI/1.1"),
            ("SERVER_PROTOCOL", "HTTP/1.1"), ("REQUEST_ID", "self-check"),
        ].flatMap { NameValues.shortPair($0.0, $0.1) }
        let asResponder: [UInt8] = [0, 1, 0, 0, 0, 0, 0, 0]
        let records: [(RecordType, [UInt8])] = [
            (.beginRequest, asResponder), (.parameters, parameters), (.parameters, []), (.standardInput, []),
        ]
        return records.flatMap { type, content in
            RecordHeader(type: type, requestID: 1, contentLength: content.count).bytes + content
        }
    }

    private func send(
        _ bytes: [UInt8], over socket: borrowing FileDescriptor, until deadline: MonotonicTime
    ) throws(ClientFault) {
        var sent = 0
        while sent < bytes.count {
            switch socket.send(bytes, from: sent) {
            case .moved(let count): sent += count
            case .ended: throw .turnedAway
            case .wouldBlock:
                guard socket.waitUntilWritable(milliseconds: deadline.millisecondsLeft) else { throw .late }
            }
        }
    }

    /// All that comes until the connection ends, and not much more than is wanted.
    private func receive(
        over socket: borrowing FileDescriptor, until deadline: MonotonicTime
    ) throws(ClientFault) -> [UInt8] {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        // An answer's records have some bytes each beside its content.
        while received.count <= 2 * longest + buffer.count {
            switch socket.receive(into: &buffer) {
            case .moved(let count): received += buffer[..<count]
            case .ended: return received
            case .wouldBlock:
                guard socket.waitUntilReadable(milliseconds: deadline.millisecondsLeft) else { throw .late }
            }
            guard MonotonicTime.now < deadline else { throw .late }
        }
        throw .tooLong
    }
}
