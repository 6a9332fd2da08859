package import POSIX

/// Asks a responder one thing, as a front would: for whoever wants to know how it is.
package struct Client: Sendable {
    private let path: String
    private let longest: Int

    /// - Parameter longest: more than so many bytes of an answer are not read.
    package init(path: String, longest: Int = 256 << 10) {
        self.path = path
        self.longest = longest
    }

    /// Asks whoever listens at an address.
    package func ask(
        _ address: SocketAddress, until deadline: MonotonicTime
    ) throws(ClientFault) -> ClientAnswer {
        let socket: FileDescriptor
        do { socket = try FileDescriptor.connected(to: address, until: deadline) } catch { throw .unreachable(error) }
        return try ask(over: socket, until: deadline)
    }

    /// Asks over a connection, which does not block and is of no use to anybody afterwards.
    package func ask(
        over socket: borrowing FileDescriptor, until deadline: MonotonicTime
    ) throws(ClientFault) -> ClientAnswer {
        try send(request, over: socket, until: deadline)
        return try receive(over: socket, until: deadline)
    }

    /// A GET whose connection ends with its answer.
    private var request: [UInt8] {
        let parameters = [
            ("REQUEST_METHOD", "GET"), ("DOCUMENT_URI", path), ("GATEWAY_INTERFACE", "CGI/1.1"),
            ("SERVER_PROTOCOL", "HTTP/1.1"), ("REQUEST_ID", "self-check"),
        ]
        var bytes: [UInt8] = []
        RecordHeader(type: .beginRequest, requestID: 1, contentLength: 8).append(to: &bytes)
        bytes += [0, 1, 0, 0, 0, 0, 0, 0]
        let pairs = parameters.flatMap { NameValues.pair($0.0, $0.1) }
        for (type, content) in [(RecordType.parameters, pairs), (.parameters, []), (.standardInput, [])] {
            RecordHeader(type: type, requestID: 1, contentLength: content.count).append(to: &bytes)
            bytes += content
        }
        return bytes
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

    private func receive(
        over socket: borrowing FileDescriptor, until deadline: MonotonicTime
    ) throws(ClientFault) -> ClientAnswer {
        var intake = AnswerIntake(longest: longest)
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        var isFirst = true
        while !intake.isComplete {
            switch socket.receive(into: &buffer) {
            case .moved(let count):
                isFirst = false
                try intake.consume(buffer[..<count])
            case .ended: throw isFirst ? .turnedAway : .brokenOff
            case .wouldBlock:
                guard socket.waitUntilReadable(milliseconds: deadline.millisecondsLeft) else { throw .late }
            }
            guard intake.isComplete || MonotonicTime.now < deadline else { throw .late }
        }
        return try ClientAnswer(parsing: intake.output)
    }
}
