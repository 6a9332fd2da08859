import POSIX

/// One thread of a responder: takes the next event and answers the request that lies in the socket.
final class Worker {
    private let responder: Responder
    private let index: Int
    private var state = State.hasNone

    // Of the request at hand, and kept for the next one.
    private let request = FCGXRequest()
    private var answer: [UInt8] = []
    private var buffer = Arrival.buffer()

    /// If the peer has read all earlier answers, the socket takes at least as many bytes at once.
    private static let shortAnswer = 32 << 10

    private enum State { case hasNone, hasSlot, isReturning }

    init(_ index: Int, of responder: Responder) {
        self.index = index
        self.responder = responder
    }

    func run() {
        BlockingHint.set(before: { [unowned self] in freeSlot() }, after: { [unowned self] in returnFromWaiting() })
        defer { BlockingHint.remove() }
        while true {
            takeSlot()
            let number = nextEvent()
            if number == responder.quit.descriptor.number { return freeSlot() }
            if number == responder.listener.descriptor.number {
                if let socket = responder.acceptConnection() { serve(socket) }
            } else if let entry = responder.connections.take(number, where: \.isForWorker) {
                let socket = FileDescriptor(takingOwnership: number)
                if case .freeWorker(let taken, let body) = entry.waiting {
                    respond(on: socket, body, taken)
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
        case .hasNone: break
        }
        state = .hasNone
    }

    private func returnFromWaiting() {
        state = .isReturning
        responder.slots.beginReturning()
    }

    /// The poller fails only if the program has broken it. Nothing could be served any more, so the process ends.
    private func nextEvent() -> Int32 {
        responder.slots.beginWaiting()
        defer { responder.slots.endWaiting() }
        do { return try responder.poller.wait() ?? -1 } catch { fatalError("\(error)") }
    }

    private func serve(_ socket: consuming FileDescriptor) {
        do throws(Refusal) {
            switch try Arrival.look(at: socket, &buffer, responder.limits) {
            case .nothing: responder.wait(for: .request, on: socket)
            case .ended: responder.close(socket)
            case .incomplete: responder.wait(for: .restOfRequest([]), on: socket)
            // The front may go on sending what is not wanted, so the request is taken and the end of it looked for.
            case .request(let body) where body.isTooLarge: responder.wait(for: .restOfRequest([]), on: socket)
            case .request(let body): respond(on: socket, body)
            }
        } catch {
            responder.report(.refused(error))
            responder.close(socket)
        }
    }

    /// Answers a request that lies in the socket.
    private func respond(on socket: consuming FileDescriptor, _ body: Arrival.Body) {
        guard request.begin(on: socket.number) else {
            responder.report(.refused(.protocolViolation))
            return responder.close(socket, isClosed: true)
        }
        send(to: socket, then: handle(body))
    }

    /// Answers a request that was taken from the socket, because it came in pieces or has a body that is too large.
    private func respond(on socket: consuming FileDescriptor, _ body: Arrival.Body, _ taken: [UInt8]) {
        guard let file = try? FileDescriptor.memoryFile(holding: taken) else { return responder.close(socket) }
        guard request.begin(on: file.number) else {
            _ = file.release()
            return responder.close(socket)
        }
        let next = handle(body)
        var end = RequestEnd()
        let behind = end.find(in: taken[...])
        guard body.isTooLarge, behind == nil, let file = try? UnsentFile() else {
            return send(to: socket, then: behind?.isEmpty == true ? next : .peerToClose)
        }
        _ = request.end(with: answer, to: file.descriptor.number)
        responder.wait(for: .endOfBody(end, answer: file, then: next), on: socket)
    }

    /// Has the handler answer the request that libfcgi has begun to read. Returns what the connection waits for afterwards.
    private func handle(_ expected: Arrival.Body) -> Waiting? {
        let body = expected.isTooLarge ? [] : request.readBody(length: expected.length)
        // Bytes behind the request may be the beginning of the next one. They are lost, and so the connection cannot be kept.
        let isLost = !expected.isTooLarge && (expected.isPadded || request.hasReadAhead)
        answer.removeAll(keepingCapacity: true)
        responder.handler(
            Request(parameters: Parameters(request: request), body: body, bodyIsTooLarge: expected.isTooLarge), &answer)
        return isLost ? .peerToClose : request.keepsConnection ? .request : nil
    }

    private func send(to socket: consuming FileDescriptor, then next: Waiting?) {
        let file = answer.count > Self.shortAnswer ? try? UnsentFile() : nil
        guard request.end(with: answer, to: file?.descriptor.number ?? socket.number) else {
            return responder.close(socket)
        }
        responder.wait(for: file.map { .peerToRead($0, then: next) } ?? next, on: socket)
    }
}
