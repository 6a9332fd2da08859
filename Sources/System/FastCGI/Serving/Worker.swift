import POSIX
import Sockets

/// A worker thread of a responder: takes the next event and answers the request in the socket.
final class Worker {
    private let responder: Responder
    private let index: Int
    private var state = State.hasNoSlot

    // Reused for every request.
    private let request = FCGXRequest()
    private var answer: [UInt8] = []
    private var buffer = PeekedInput.buffer()

    /// A socket accepts a response of this size without blocking, if the peer has read all earlier responses.
    private static let shortAnswer = 32 << 10

    private enum State { case hasNoSlot, hasSlot, isReturning }

    init(_ index: Int, of responder: Responder) {
        (self.index, self.responder) = (index, responder)
    }

    func run() {
        BlockingSection.set(before: { [unowned self] in freeSlot() }, after: { [unowned self] in returnFromWaiting() })
        defer { BlockingSection.remove() }
        while true {
            takeSlot()
            let number = nextEvent()
            if number == responder.quit.descriptor.number { return freeSlot() }
            if number == responder.listener.descriptor.number {
                if let socket = responder.acceptConnection() { serve(socket) }
            } else if let entry = responder.connections.take(number, where: \.isForWorker) {
                let socket = FileDescriptor(takingOwnership: number)
                if case .freeWorker(let received, let body) = entry.state {
                    if isAbandoned(socket) { giveUp(socket) } else { respond(on: socket, body, received.bytes) }
                } else {
                    serve(socket)
                }
            }
        }
    }

    private func takeSlot() {
        if state != .hasSlot { responder.slots.take(index, isReturning: state == .isReturning) }
        state = .hasSlot
    }

    private func freeSlot() {
        switch state {
        case .hasSlot: responder.slots.free()
        case .isReturning: responder.slots.endReturning()
        case .hasNoSlot: break
        }
        state = .hasNoSlot
    }

    private func returnFromWaiting() {
        state = .isReturning
        responder.slots.beginReturning()
    }

    /// The poller fails only after a programming error. No request could be served then, so the process ends.
    private func nextEvent() -> Int32 {
        responder.slots.beginWaiting()
        defer { responder.slots.endWaiting() }
        do { return try responder.poller.wait() ?? -1 } catch { fatalError("\(error)") }
    }

    private func serve(_ socket: consuming FileDescriptor) {
        do throws(ProtocolFault) {
            switch try PeekedInput.peek(at: socket, &buffer, responder.limits) {
            case .nothing: responder.wait(for: .request, on: socket)
            case .ended: responder.close(socket)
            case .incomplete: responder.wait(for: .restOfRequest(nil), on: socket)
            // nginx may continue to send a body that is too large, so the request is read until its end is found.
            case .request(let body) where body.isTooLarge: responder.wait(for: .restOfRequest(nil), on: socket)
            case .request where isAbandoned(socket): giveUp(socket)
            case .request(let body): respond(on: socket, body)
            }
        } catch {
            responder.report(.refused(error))
            responder.close(socket)
        }
    }

    /// Checked only after a suspension: a peer that has closed only its writing side may still read the response.
    private func isAbandoned(_ socket: borrowing FileDescriptor) -> Bool {
        responder.suspension.isInDoubt() && socket.hasPeerClosed
    }

    private func giveUp(_ socket: consuming FileDescriptor) {
        responder.report(.abandoned)
        responder.close(socket)
    }

    /// Answers a complete request in the socket.
    private func respond(on socket: consuming FileDescriptor, _ body: PeekedInput.Body) {
        guard request.begin(on: socket.number) else {
            responder.report(.refused(.protocolViolation))
            return responder.close(socket, isClosed: true)
        }
        let next = handle(body, from: socket)
        send(to: socket, then: next)
    }

    /// Answers a request that has been read from the socket, because it arrived in parts or its body is too large.
    private func respond(on socket: consuming FileDescriptor, _ body: PeekedInput.Body, _ received: [UInt8]) {
        guard let file = try? FileDescriptor.memoryFile(holding: received) else { return responder.close(socket) }
        guard request.begin(on: file.number) else {
            _ = file.release()
            return responder.close(socket)
        }
        let next = handle(body, from: socket)
        var end = RequestEnd()
        let rest = end.find(in: received[...])
        guard body.isTooLarge, rest == nil, let file = try? UnsentFile() else {
            return send(to: socket, then: rest?.isEmpty == true ? next : .peerToClose)
        }
        _ = request.end(with: answer, to: file.descriptor.number)
        responder.wait(for: .endOfBody(end, answer: file, then: next), on: socket)
    }

    /// Calls the handler for the request whose parameters libfcgi has read. Returns the connection's next state.
    private func handle(
        _ expected: PeekedInput.Body, from socket: borrowing FileDescriptor
    ) -> ConnectionState? {
        let body = expected.isTooLarge ? [] : request.readBody(length: expected.length)
        // Bytes after the request may belong to the next one. They are lost, so the connection cannot be kept.
        let isLost = !expected.isTooLarge && (expected.isPadded || request.hasReadAhead)
        answer.removeAll(keepingCapacity: true)
        let received = Request(
            parameters: Parameters(request: request), peer: Peer(socket: socket.number), body: body,
            bodyIsTooLarge: expected.isTooLarge)
        responder.handler(received, &answer)
        return isLost ? .peerToClose : request.keepsConnection ? .request : nil
    }

    private func send(to socket: consuming FileDescriptor, then next: ConnectionState?) {
        let file = answer.count > Self.shortAnswer ? try? UnsentFile() : nil
        guard request.end(with: answer, to: file?.descriptor.number ?? socket.number) else {
            return responder.close(socket)
        }
        responder.wait(for: file.map { .peerToRead($0, then: next) } ?? next, on: socket)
    }
}
