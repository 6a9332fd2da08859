import Glibc
import POSIX

@testable import FastCGI

/// One connection without a responder: a test looks at what it has sent, and has libfcgi read it, as a worker does.
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

    /// Sends what the socket takes without waiting, and says how much that was.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Int {
        var sent = 0
        while sent < bytes.count, case .moved(let count) = near.send(bytes, from: sent) {
            sent += count
        }
        return sent
    }

    func endSending() { near.shutDownWriting() }

    func look(_ buffer: inout [UInt8], _ limits: Limits = .standard) throws(Refusal) -> Arrival {
        let socket = FileDescriptor(takingOwnership: far)
        let arrival = Result { () throws(Refusal) in try Arrival.look(at: socket, &buffer, limits) }
        _ = socket.release()
        return try arrival.get()
    }

    /// False if libfcgi could not read the request, and then the connection is closed.
    func begin(_ request: FCGXRequest) -> Bool {
        let hasBegun = request.begin(on: far)
        if !hasBegun { far = -1 }
        return hasBegun
    }

    func end(_ request: FCGXRequest, with answer: [UInt8]) -> Bool {
        request.end(with: answer, to: far)
    }

    /// All that has come back so far.
    func received() -> [UInt8] {
        var (all, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 64 << 10))
        while case .moved(let count) = near.receive(into: &buffer) { all += buffer[..<count] }
        return all
    }
}
