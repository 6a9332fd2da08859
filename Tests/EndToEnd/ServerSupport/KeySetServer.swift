import POSIX
import Sockets

/// Publishes a key set over HTTP, answers in the given mode and counts requests.
final class KeySetServer: Sendable {
    private let listener: Listener
    private let state: Monitor<State>

    private struct State {
        var keySet: [UInt8]
        var mode = KeySetServerMode.normal
        var requestCount = 0
        var isStopped = false
    }

    init(publishing keySet: [UInt8]) throws {
        state = Monitor(State(keySet: keySet))
        listener = try Listener.tcp(host: "127.0.0.1", port: 0)
        _ = try Thread.spawn(name: "key-server") { [self] in try? run() }
    }

    var port: UInt16 { listener.port ?? 0 }

    var requestCount: Int { state.change { $0.requestCount } }

    func publish(_ keySet: [UInt8]) { state.change { $0.keySet = keySet } }

    func setMode(_ mode: KeySetServerMode) { state.change { $0.mode = mode } }

    /// Ends the thread.
    func stop() {
        state.change { $0.isStopped = true }
        listener.refuse()
    }

    private func run() throws {
        while !state.change({ $0.isStopped }) {
            guard listener.descriptor.waitUntilReadable(milliseconds: 1000), let connection = try listener.accept()
            else { continue }
            let number = connection.release()
            _ = try Thread.spawn(name: "key-server") { [self] in serve(FileDescriptor(takingOwnership: number)) }
        }
    }

    private func serve(_ connection: consuming FileDescriptor) {
        guard hasSentRequest(connection) else { return }
        state.change { $0.requestCount += 1 }
        let mode = state.wait(atMost: .seconds(20)) { $0.mode.isHanging && !$0.isStopped ? nil : $0.mode }
        switch mode {
        case .normal: send(normalResponse, over: connection)
        case .sending(let bytes): send(bytes, over: connection)
        case .trickling(let bytes): trickle(bytes, over: connection)
        case .hanging, .closing, nil: return
        }
        connection.shutDownWriting()
        // Closing with unread input would reset the connection before the client has read the response.
        _ = connection.waitUntilReadable(milliseconds: 2000)
    }

    private var normalResponse: [UInt8] {
        guard case .sending(let bytes) = KeySetServerMode.replying(state.change { $0.keySet }) else { return [] }
        return bytes
    }

    private func hasSentRequest(_ connection: borrowing FileDescriptor) -> Bool {
        var (received, piece): ([UInt8], [UInt8]) = ([], Array(repeating: 0, count: 4096))
        while connection.waitUntilReadable(milliseconds: 2000) {
            guard case .moved(let count) = connection.receive(into: &piece) else { return false }
            received += piece[..<count]
            if received.suffix(4).elementsEqual("\r\n\r\n".utf8) { return true }
        }
        return false
    }

    private func send(_ bytes: [UInt8], over connection: borrowing FileDescriptor) {
        var sent = 0
        while sent < bytes.count {
            switch connection.send(bytes, from: sent) {
            case .moved(let count): sent += count
            case .wouldBlock: if !connection.waitUntilWritable(milliseconds: 60_000) { return }
            case .ended: return
            }
        }
    }

    private func trickle(_ bytes: [UInt8], over connection: borrowing FileDescriptor) {
        for byte in bytes.prefix(200) {
            guard case .moved = connection.send([byte], from: 0) else { return }
            // The connection becomes readable when the client closes it.
            if connection.waitUntilReadable(milliseconds: 100) { return }
        }
    }
}
