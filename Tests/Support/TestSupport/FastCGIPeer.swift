import Glibc

/// A FastCGI client for tests. Reads and writes time out after a minute.
package final class FastCGIPeer {
    package enum Address: Sendable {
        case unix(String)
        case tcp(UInt16)
    }

    package struct Record: Equatable {
        package var type: UInt8
        package var id: Int
        package var content: [UInt8]
    }

    package struct Failure: Error {
        package var operation: String
        package var code: Int32
    }

    package struct Answer: Equatable {
        package var text: String
        package var id: Int
        package var protocolStatus: UInt8
        package var byteCount: Int
    }

    package let descriptor: Int32
    private var received: [UInt8] = []

    package init(_ address: Address) throws {
        switch address {
        case .unix(let path):
            descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var target = sockaddr_un()
            target.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: path.utf8) }
            try connect(&target)
        case .tcp(let port):
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var target = sockaddr_in()
            target.sin_family = sa_family_t(AF_INET)
            target.sin_port = port.bigEndian
            inet_pton(AF_INET, "127.0.0.1", &target.sin_addr)
            var on: Int32 = 1
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, 4)
            try connect(&target)
        }
        var timeout = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    private func connect<Target>(_ target: inout Target) throws {
        let size = socklen_t(MemoryLayout<Target>.size)
        let result = withUnsafeMutablePointer(to: &target) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(descriptor, $0, size) }
        }
        guard result == 0 else {
            let failure = Failure(operation: "connect", code: errno)
            throw failure
        }
    }

    package func send(_ bytes: [UInt8]) throws {
        try Self.send(bytes, to: descriptor)
    }

    package static func send(_ bytes: [UInt8], to descriptor: Int32) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(operation: "send", code: errno) }
            sent += count
        }
    }

    /// The next record, or nil at the end of the connection.
    package func record() throws -> Record? {
        guard let header = try take(8) else { return nil }
        guard let content = try take(Int(header[4]) << 8 | Int(header[5])), try take(Int(header[6])) != nil else {
            throw Failure(operation: "truncated", code: 0)
        }
        return Record(type: header[1], id: Int(header[2]) << 8 | Int(header[3]), content: content)
    }

    /// Reads all records of one response.
    package func answer() throws -> Answer {
        var bytes: [UInt8] = []
        while let record = try record() {
            if record.type == 6 { bytes += record.content }
            if record.type == 3 {
                return Answer(
                    text: String(decoding: bytes, as: UTF8.self), id: record.id, protocolStatus: record.content[4],
                    byteCount: bytes.count)
            }
        }
        throw Failure(operation: "no response", code: 0)
    }

    package func exchange(_ bytes: [UInt8]) throws -> Answer {
        try send(bytes)
        return try answer()
    }

    /// Whether the peer has closed the connection without sending more.
    package func isEnded() throws -> Bool {
        try take(1) == nil
    }

    /// Whether data has arrived or the peer has closed.
    package var isReadable: Bool { isReadable(within: 0) }

    /// Waits until data has arrived, without reading it.
    package func hasSomethingToRead() -> Bool { isReadable(within: 60) }

    /// Waits so many seconds at most.
    package func isReadable(within seconds: Double) -> Bool {
        var interest = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&interest, 1, Int32(seconds * 1000)) == 1
    }

    private func take(_ count: Int) throws -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 65536)
        while received.count < count {
            let got = recv(descriptor, &chunk, chunk.count, 0)
            if got == 0 || (got < 0 && errno == ECONNRESET) { return nil }
            // With a timeout the kernel does not restart the call.
            if got < 0 && errno == EINTR { continue }
            guard got > 0 else { throw Failure(operation: "recv", code: errno) }
            received += chunk[..<got]
        }
        defer { received.removeFirst(count) }
        return Array(received[..<count])
    }
}
