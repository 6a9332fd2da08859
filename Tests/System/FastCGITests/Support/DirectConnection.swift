import Glibc
import POSIX
import Sockets

@testable import FastCGI

/// A connection without a responder. A test peeks at the data and lets libfcgi read it, as a worker does.
final class DirectConnection {
    private let near: FileDescriptor
    private var far: Int32 = -1

    init() throws {
        var far: Int32 = -1
        near = try SocketPair().giveFarEnd { far = $0.release() }
        self.far = far
    }

    deinit {
        if far >= 0 { close(far) }
    }

    /// Sends as many bytes as the socket accepts, and returns their number.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Int {
        var sent = 0
        while sent < bytes.count, case .moved(let count) = near.send(bytes, from: sent) {
            sent += count
        }
        return sent
    }

    func endSending() { near.shutDownWriting() }

    func look(_ buffer: inout [UInt8], _ limits: Limits = .standard) throws(ProtocolFault) -> PeekedInput {
        let socket = FileDescriptor(takingOwnership: far)
        let input = Result { () throws(ProtocolFault) in try PeekedInput.peek(at: socket, &buffer, limits) }
        _ = socket.release()
        return try input.get()
    }

    /// If libfcgi cannot read the request, it has closed the connection and the result is false.
    func begin(_ request: FCGXRequest) -> Bool {
        let hasBegun = request.begin(on: far)
        if !hasBegun { far = -1 }
        return hasBegun
    }

    func end(_ request: FCGXRequest, with answer: [UInt8]) -> Bool {
        request.end(with: answer, to: far)
    }

    /// Everything received so far.
    func received() -> [UInt8] {
        var (all, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 64 << 10))
        while case .moved(let count) = near.receive(into: &buffer) { all += buffer[..<count] }
        return all
    }
}
