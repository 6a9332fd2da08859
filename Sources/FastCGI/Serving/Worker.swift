import POSIX

/// One thread of a responder: takes the next event and answers the request that lies in the socket.
final class Worker {
    private let responder: Responder
    private let index: Int
    private var hasSlot = false

    // Of the request at hand, and kept for the next one.
    private let request = FCGXRequest()
    private var parameters = Parameters()
    private var answer: [UInt8] = []
    private var buffer: [UInt8] = []

    /// A socket whose peer has read all answers before takes one of so many bytes at once. Nearly every answer is smaller.
    private static let shortAnswer = 32 << 10

    init(_ index: Int, of responder: Responder) {
        self.index = index
        self.responder = responder
    }

    func run() {
        BlockingHint.set { [unowned self] in freeSlot() }
        defer { BlockingHint.set(nil) }
        while true {
            takeSlot()
            let number = nextEvent()
            if number == responder.quit.descriptor.number { return freeSlot() }
            if number == responder.listener.descriptor.number {
                if let socket = responder.acceptConnection() { serve(socket, isNew: true) }
            } else if responder.waiting.take(number, where: \.waiting.isIdle) != nil {
                serve(FileDescriptor(takingOwnership: number), isNew: false)
            }
        }
    }

    private func takeSlot() {
        if !hasSlot { responder.slots.take(index) }
        hasSlot = true
    }

    private func freeSlot() {
        if hasSlot { responder.slots.free() }
        hasSlot = false
    }

    /// The poller fails only if the program has broken it. Nothing could be served any more, so the process ends.
    private func nextEvent() -> Int32 {
        responder.slots.beginWaiting()
        defer { responder.slots.endWaiting() }
        do { return try responder.poller.wait() ?? -1 } catch { fatalError("\(error)") }
    }

    private func serve(_ socket: consuming FileDescriptor, isNew: Bool) {
        if buffer.count != Arrival.usualLength { buffer = [UInt8](repeating: 0, count: Arrival.usualLength) }
        do throws(Refusal) {
            switch try Arrival.look(at: socket, &buffer, responder.limits) {
            case .nothing: responder.wait(for: .request, on: socket, isNew: isNew)
            case .ended: responder.close(socket)
            case .incomplete: responder.wait(for: .rest, on: socket)
            case .request(let body): respond(on: socket, isNew: isNew, body)
            }
        } catch {
            responder.report(.refused(error))
            responder.close(socket)
        }
    }

    private func respond(on socket: consuming FileDescriptor, isNew: Bool, _ expected: Arrival.Body) {
        guard request.begin(on: socket.number) else {
            responder.report(.refused(.protocolViolation))
            return responder.close(socket, isClosed: true)
        }
        parameters.read(from: request)
        let body = expected.isTooLarge ? [] : request.readBody(length: expected.length)
        // Bytes behind the request may be the beginning of the next one. They are lost, and so the connection cannot be kept.
        let isLast = expected.isTooLarge || expected.isPadded || request.hasReadAhead
        let ending: Ending = isLast ? .linger : request.keepsConnection ? .keep : .close
        answer.removeAll(keepingCapacity: true)
        responder.handler(Request(parameters: parameters, body: body, bodyIsTooLarge: expected.isTooLarge), &answer)
        if answer.count > Self.shortAnswer, let unsent = try? UnsentAnswer(then: ending) {
            _ = request.end(with: answer, to: unsent.number)
            responder.wait(for: .reader(unsent), on: socket)
        } else if request.end(with: answer, to: socket.number) {
            responder.end(socket, by: ending, isNew: isNew)
        } else {
            responder.close(socket)
        }
    }
}

/// What follows an answer.
enum Ending {
    case keep
    case close
    /// The peer may still be sending, and would be told of a reset before it has read the answer.
    case linger
}
