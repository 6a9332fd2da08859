import POSIX
import Sockets
import Synchronization
import TestSupport

/// A stand-in for Gatehouse behind nginx, which keeps the parameters of each request. It answers 204 to the guard, which
/// makes nginx pass every guarded request on, and 200 to all other requests, or fails like a node.
final class RecordingResponder: Sendable {
    enum Fault: Sendable {
        /// Closes the connection, like a node that is killed after it has executed the request.
        case noAnswer
        /// The answer of a node without a database.
        case unavailable
    }

    let port: UInt16
    private let listener: Listener
    /// Further headers of every answer but those to the guard.
    private let headers: String
    private let fault: Fault?
    private let received = Mutex<[[String: String]]>([])

    /// Number of requests that it has received.
    var count: Int { received.withLock { $0.count } }

    /// - Parameter headers: complete lines, each with its end.
    init(_ fault: Fault? = nil, headers: String = "") throws {
        let listener = try Listener.tcp(host: "127.0.0.1", port: 0)
        port = listener.port ?? 0
        self.listener = listener
        self.headers = headers
        self.fault = fault
        _ = try Thread.spawn(name: "recording") { [weak self] in
            while let responder = self { responder.acceptOne() }
        }
    }

    /// The parameters of the requests whose path was this one, in order.
    func requests(at path: String) -> [[String: String]] {
        received.withLock { $0.filter { $0["DOCUMENT_URI"] == path } }
    }

    private func acceptOne() {
        guard listener.descriptor.waitUntilReadable(milliseconds: 200), let connection = try? listener.accept() else {
            return
        }
        let number = connection.release()
        _ = try? Thread.spawn(name: "recording") { [weak self] in
            let connection = FileDescriptor(takingOwnership: number)
            var (bytes, piece): ([UInt8], [UInt8]) = ([], Array(repeating: 0, count: 65_536))
            while connection.waitUntilReadable(milliseconds: 20_000),
                case .moved(let count) = connection.receive(into: &piece)
            {
                bytes += piece[..<count]
                guard let parameters = Self.parameters(ofWhole: bytes) else { continue }
                guard let self else { return }
                received.withLock { $0.append(parameters) }
                let answer = answer(to: parameters)
                guard fault != .noAnswer, case .moved(answer.count) = connection.send(answer, from: 0) else { return }
                bytes = []
            }
        }
    }

    private func answer(to parameters: [String: String]) -> [UInt8] {
        let isGuard = parameters["DOCUMENT_URI"] == "/api/auth/verify"
        var text =
            isGuard
            ? "Status: 204\r\nX-User-Id: user_1\r\nX-User-Role: USER\r\nX-Session-Id: sess_1\r\nX-Auth-Time: 1\r\n\r\n"
            : "Status: 200\r\nContent-Type: application/json\r\n\(headers)\r\n{}"
        if fault == .unavailable { text = Self.unavailable }
        return FastCGIWire.stream(6, Array(text.utf8)) + FastCGIWire.record(3, Array(repeating: 0, count: 8))
    }

    private static let unavailable = """
        Status: 503\r\nContent-Type: application/problem+json\r\nCache-Control: no-store\r\nRetry-After: 7\r\n\r\n\
        {"type":"about:blank","title":"Service Unavailable","status":503,"detail":"Try again later.",\
        "code":"storage_unavailable","requestId":"r"}
        """

    /// Nil until the end of the standard input has arrived: an empty record of type 5.
    private static func parameters(ofWhole bytes: [UInt8]) -> [String: String]? {
        var (start, content) = (0, [UInt8]())
        while bytes.count >= start + 8 {
            let (type, length) = (bytes[start + 1], Int(bytes[start + 4]) << 8 | Int(bytes[start + 5]))
            guard bytes.count >= start + 8 + length else { return nil }
            if type == 4 { content += bytes[(start + 8)..<(start + 8 + length)] }
            if type == 5, length == 0 { return pairs(in: content) }
            start += 8 + length + Int(bytes[start + 6])
        }
        return nil
    }

    private static func pairs(in bytes: [UInt8]) -> [String: String] {
        var (rest, pairs) = (bytes[...], [String: String]())
        func take(_ count: Int) -> ArraySlice<UInt8> {
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        func length() -> Int {
            guard let first = rest.first, first >= 0x80 else { return Int(take(1).first ?? 0) }
            return take(4).reduce(0) { $0 << 8 | Int($1) } & 0x7FFF_FFFF
        }
        while !rest.isEmpty {
            let (name, value) = (length(), length())
            pairs[String(decoding: take(name), as: UTF8.self)] = String(decoding: take(value), as: UTF8.self)
        }
        return pairs
    }
}

extension ServerBehindNginx {
    /// nginx alone, in front of stand-ins.
    convenience init(
        before responder: RecordingResponder, values: [String: String] = [:], locations: String = "", site: String = ""
    ) throws {
        let values = ["RESPONDER": "127.0.0.1:\(responder.port)"].merging(values) { $1 }
        try self.init(values: values, locations: locations, site: site)
    }
}
