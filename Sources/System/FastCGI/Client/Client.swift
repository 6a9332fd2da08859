package import POSIX
package import Sockets

/// Sends a single request to a responder, as nginx does.
package struct Client: Sendable {
    private let path: String
    private let longest: Int

    /// - Parameter longest: the maximum length of a response in bytes.
    package init(path: String, longest: Int = 256 << 10) {
        (self.path, self.longest) = (path, longest)
    }

    /// Connects to a responder and sends the request.
    package func ask(_ address: SocketAddress, until deadline: MonotonicTime) throws(ClientFault) -> ClientResponse {
        let socket: FileDescriptor
        do { socket = try FileDescriptor.connected(to: address, until: deadline) } catch { throw .unreachable(error) }
        return try ask(over: socket, until: deadline)
    }

    /// Sends the request over a non-blocking connection, which cannot be used again.
    package func ask(
        over socket: borrowing FileDescriptor, until deadline: MonotonicTime
    ) throws(ClientFault) -> ClientResponse {
        let request = request
        // The request is short and the connection is new, so one call sends all of it.
        guard socket.send(request, from: 0) == .moved(request.count) else { throw .closedWithoutResponse }
        return try ClientResponse(readingRecords: try receive(over: socket, until: deadline), longest: longest)
    }

    /// A GET request without FCGI_KEEP_CONN, so that the responder closes the connection after the response.
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

    /// Reads until the connection is closed.
    private func receive(
        over socket: borrowing FileDescriptor, until deadline: MonotonicTime
    ) throws(ClientFault) -> [UInt8] {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        // The headers and the padding of the records add to the length of the response.
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

/// Why a request to a responder got no response.
package enum ClientFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// Connecting failed.
    case unreachable(POSIXError)
    /// The connection was closed before the first byte, as a responder does that has too many connections.
    case closedWithoutResponse
    case truncated
    case late
    case tooLong
    case malformed

    package var description: String {
        switch self {
        case .unreachable(let error): "\(error)"
        case .closedWithoutResponse: "the connection was closed without a response"
        case .truncated: "the connection was closed in the middle of the response"
        case .late: "no response arrived in time"
        case .tooLong: "the response is too long"
        case .malformed: "the response is not valid FastCGI"
        }
    }
}

/// The response of a responder.
package struct ClientResponse: Sendable, Equatable {
    package let status: Int
    package let body: [UInt8]
}

extension ClientResponse {
    /// Reads the records of a response, up to FCGI_END_REQUEST.
    init(readingRecords bytes: [UInt8], longest: Int) throws(ClientFault) {
        guard !bytes.isEmpty else { throw .closedWithoutResponse }
        var walk = RecordWalk()
        var output: [UInt8] = []
        while true {
            let header: RecordHeader?
            do { header = try walk.next(in: bytes.span) } catch { throw .malformed }
            guard let header, walk.content.upperBound <= bytes.count else { throw .truncated }
            if header.type == .endRequest { break }
            if header.type == .standardOutput { output += bytes[walk.content] }
            guard output.count <= longest else { throw .tooLong }
        }
        try self.init(readingCGI: output)
    }

    /// Reads the CGI header, whose first line is the status, and the body after the empty line.
    private init(readingCGI bytes: [UInt8]) throws(ClientFault) {
        let start = Array("Status: ".utf8)
        guard bytes.starts(with: start), let emptyLine = bytes.firstRange(of: Array("\r\n\r\n".utf8)),
            let status = Int(String(decoding: bytes[start.count...].prefix(3), as: UTF8.self))
        else { throw .malformed }
        self.init(status: status, body: Array(bytes[emptyLine.upperBound...]))
    }
}
