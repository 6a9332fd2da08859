import POSIX

/// Publishes a key set over HTTP, in whatever manner a test asks for, and counts who comes for it.
final class KeyServer: Sendable {
    private let listener: Listener
    private let state: Monitor<State>

    private struct State {
        var keySet: [UInt8]
        var manner = KeyServerManner.behaving
        var visits = 0
        var isOver = false
    }

    init(publishing keySet: [UInt8]) throws {
        state = Monitor(State(keySet: keySet))
        listener = try Listener.tcp(host: "127.0.0.1", port: 0)
        _ = try Thread.spawn(name: "key-server") { [self] in try? run() }
    }

    var port: UInt16 { listener.port ?? 0 }

    var visits: Int { state.change { $0.visits } }

    func publish(_ keySet: [UInt8]) { state.change { $0.keySet = keySet } }

    func behave(_ manner: KeyServerManner) { state.change { $0.manner = manner } }

    /// Its thread would go on for ever otherwise.
    func stop() {
        state.change { $0.isOver = true }
        listener.refuse()
    }

    private func run() throws {
        while !state.change({ $0.isOver }) {
            guard listener.descriptor.waitUntilReadable(milliseconds: 1000), let connection = try listener.accept()
            else { continue }
            let number = connection.release()
            _ = try Thread.spawn(name: "key-server") { [self] in serve(FileDescriptor(takingOwnership: number)) }
        }
    }

    private func serve(_ connection: consuming FileDescriptor) {
        guard hasAsked(connection) else { return }
        state.change { $0.visits += 1 }
        let manner = state.wait(atMost: .seconds(20)) { $0.manner.isHanging && !$0.isOver ? nil : $0.manner }
        switch manner {
        case .behaving: send(goodReply, over: connection)
        case .sending(let bytes): send(bytes, over: connection)
        case .trickling(let bytes): trickle(bytes, over: connection)
        case .hanging, .hangingUp, nil: return
        }
        connection.shutDownWriting()
        // Closing with something unread would take the answer away from the client again.
        _ = connection.waitUntilReadable(milliseconds: 2000)
    }

    private var goodReply: [UInt8] {
        guard case .sending(let bytes) = KeyServerManner.replying(state.change { $0.keySet }) else { return [] }
        return bytes
    }

    private func hasAsked(_ connection: borrowing FileDescriptor) -> Bool {
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
            case .wouldBlock: Thread.pause(for: .milliseconds(5))
            case .ended: return
            }
        }
    }

    private func trickle(_ bytes: [UInt8], over connection: borrowing FileDescriptor) {
        for byte in bytes.prefix(200) {
            guard case .moved = connection.send([byte], from: 0) else { return }
            // Readable is what a connection becomes when the client has gone.
            if connection.waitUntilReadable(milliseconds: 100) { return }
        }
    }
}
