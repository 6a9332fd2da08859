import FastCGI
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
    package func ask(_ address: SocketAddress, until deadline: MonotonicTime) throws(ClientFault) -> ClientAnswer {
        let socket: FileDescriptor
        do { socket = try FileDescriptor.connected(to: address, until: deadline) } catch { throw .unreachable(error) }
        return try ask(over: socket, until: deadline)
    }

    /// Asks over a connection, which does not block and cannot be used again.
    package func ask(
        over socket: borrowing FileDescriptor, until deadline: MonotonicTime
    ) throws(ClientFault) -> ClientAnswer {
        let request = request
        // It is short, and the connection new.
        guard socket.send(request, from: 0) == .moved(request.count) else { throw .turnedAway }
        return try ClientAnswer(readingRecords: try receive(over: socket, until: deadline), longest: longest)
    }

    /// A GET whose connection ends with its answer.
    private var request: [UInt8] {
        let pairs = [("REQUEST_METHOD", "GET"), ("DOCUMENT_URI", path), ("REQUEST_ID", "self-check")]
        let parameters = pairs.flatMap { name, value in
            [UInt8(name.utf8.count), UInt8(value.utf8.count)] + name.utf8 + value.utf8
        }
        let records: [(RecordType, [UInt8])] = [
            (.beginRequest, [0, 1, 0, 0, 0, 0, 0, 0]), (.parameters, parameters), (.parameters, []),
            (.standardInput, []),
        ]
        return records.flatMap { RecordHeader.bytes($0, requestID: 1, contentLength: $1.count) + $1 }
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
