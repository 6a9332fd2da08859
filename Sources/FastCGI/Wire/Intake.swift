/// Puts the bytes of one connection together to requests, whatever pieces they come in.
///
/// This is a state machine without input or output of its own: bytes go in, steps come out. It understands records, but
/// not what a request says. What it keeps is bounded by the limits.
struct Intake {
    /// What the holder of the connection is to do next.
    enum Step: Equatable {
        /// Everything is consumed; go on when there is more.
        case hungry
        /// A request is here. Serve it, then call `finishRequest`.
        case request
        /// Send these bytes, then go on, or end the connection.
        case reply([UInt8], thenClose: Bool)
        case refused(Refusal)
    }

    private let limits: Limits
    private var headerBits: UInt64 = 0
    private var headerCount = 0
    private var record = RecordHeader(bits: 0)
    private var contentLeft = 0
    private var paddingLeft = 0
    private var destination = Destination.nowhere
    private var control: [UInt8] = []
    private var stage = Stage.betweenRequests

    /// Of the request at hand.
    private(set) var requestID: UInt16 = 0
    private(set) var keepsConnection = false
    private(set) var parameters = Parameters()
    private(set) var body: [UInt8] = []
    private(set) var bodyIsTooLarge = false

    /// What the longest query of ours can be is far below this; it need not be a limit that anyone tunes.
    private static let longestControl = 1024

    private enum Stage { case betweenRequests, parameters, body, complete }

    /// Where the content of the record at hand goes.
    private enum Destination { case nowhere, control, parameters, body }

    init(limits: Limits) {
        self.limits = limits
    }

    /// Whether the peer owes something: a record or a request has begun and not ended.
    var isMidway: Bool { headerCount > 0 || stage != .betweenRequests }

    /// Consumes bytes from the front of `range` until there is something to do.
    mutating func consume(_ bytes: [UInt8], _ range: inout Range<Int>) -> Step {
        while true {
            if headerCount < RecordHeader.length {
                guard takeHeader(bytes, &range) else { return .hungry }
                record = RecordHeader(bits: headerBits)
                contentLeft = record.contentLength
                paddingLeft = record.paddingLength
                if let step = openRecord() { return step }
            }
            takeContent(bytes, &range)
            guard contentLeft == 0, paddingLeft == 0 else { return .hungry }
            headerCount = 0
            if let step = closeRecord() { return step }
        }
    }

    /// Makes room for the next request, and keeps the memory.
    mutating func finishRequest() {
        stage = .betweenRequests
        requestID = 0
        bodyIsTooLarge = false
        parameters.removeAll()
        body.removeAll(keepingCapacity: true)
    }
}

// MARK: - Taking bytes

extension Intake {
    private mutating func takeHeader(_ bytes: [UInt8], _ range: inout Range<Int>) -> Bool {
        let end = min(range.upperBound, range.lowerBound + RecordHeader.length - headerCount)
        for index in range.lowerBound..<end {
            headerBits = headerBits << 8 | UInt64(bytes[index])
        }
        headerCount += end - range.lowerBound
        range = end..<range.upperBound
        return headerCount == RecordHeader.length
    }

    private mutating func takeContent(_ bytes: [UInt8], _ range: inout Range<Int>) {
        let content = range.lowerBound..<range.lowerBound + min(contentLeft, range.count)
        contentLeft -= content.count
        switch destination {
        case .nowhere: break
        case .control: control.append(contentsOf: bytes[content])
        case .parameters: parameters.append(bytes[content])
        case .body: body.append(contentsOf: bytes[content])
        }
        let padding = min(paddingLeft, range.upperBound - content.upperBound)
        paddingLeft -= padding
        range = content.upperBound + padding..<range.upperBound
    }
}

// MARK: - Records

extension Intake {
    /// Decides by its header alone what becomes of a record, so that nothing is kept that would be refused later.
    private mutating func openRecord() -> Step? {
        destination = .nowhere
        guard record.version == 1 else { return .refused(.unsupportedVersion) }
        if record.type == .beginRequest { return openBegin() }
        if record.isManagement { return openManagement() }
        guard stage != .betweenRequests, record.requestID == requestID else { return nil }
        switch record.type {
        case .parameters: return openParameters()
        case .standardInput: return openBody()
        case .abortRequest: return nil
        default: return .refused(.protocolViolation)
        }
    }

    private mutating func openBegin() -> Step? {
        guard !record.isManagement, record.contentLength == 8 else { return .refused(.protocolViolation) }
        if stage == .betweenRequests {
            collectControl()
        } else if record.requestID == requestID {
            return .refused(.protocolViolation)
        }
        return nil
    }

    private mutating func openManagement() -> Step? {
        guard record.type == .getValues else { return nil }
        guard record.contentLength <= Self.longestControl else { return .refused(.protocolViolation) }
        collectControl()
        return nil
    }

    private mutating func collectControl() {
        control.removeAll(keepingCapacity: true)
        destination = .control
    }

    private mutating func openParameters() -> Step? {
        guard stage == .parameters else { return .refused(.protocolViolation) }
        guard parameters.bytes.count + record.contentLength <= limits.parameters else {
            return .refused(.parametersTooLong)
        }
        destination = .parameters
        return nil
    }

    private mutating func openBody() -> Step? {
        guard stage == .body else { return .refused(.protocolViolation) }
        guard body.count + record.contentLength <= limits.body else { return completeWithoutBody() }
        destination = .body
        return nil
    }

    /// Acts on a record that is here in full, its padding included.
    private mutating func closeRecord() -> Step? {
        if record.type == .beginRequest { return closeBegin() }
        if record.isManagement { return closeManagement() }
        guard stage != .betweenRequests, record.requestID == requestID else { return nil }
        if record.type == .abortRequest { return abort() }
        guard record.contentLength == 0 else { return nil }
        return record.type == .parameters ? closeParameters() : complete()
    }

    private mutating func closeBegin() -> Step? {
        guard stage == .betweenRequests else {
            return .reply(Reply.end(record.requestID, .cannotMultiplex), thenClose: false)
        }
        let role = UInt16(control[0]) << 8 | UInt16(control[1])
        keepsConnection = control[2] & 1 != 0
        guard role == 1 else {
            return .reply(Reply.end(record.requestID, .unknownRole), thenClose: !keepsConnection)
        }
        requestID = record.requestID
        stage = .parameters
        return nil
    }

    private mutating func closeManagement() -> Step {
        guard record.type == .getValues else { return .reply(Reply.unknownType(record.type), thenClose: false) }
        guard let reply = Reply.values(for: control, connections: limits.connections) else {
            return .refused(.malformedParameters)
        }
        return .reply(reply, thenClose: false)
    }

    private mutating func abort() -> Step {
        let reply = Reply.end(requestID, .complete)
        finishRequest()
        return .reply(reply, thenClose: !keepsConnection)
    }

    private mutating func closeParameters() -> Step? {
        guard parameters.findPairs() else { return .refused(.malformedParameters) }
        if let announced = parameters.contentLength, announced > limits.body { return completeWithoutBody() }
        stage = .body
        return nil
    }

    /// The answer will be that the body is too large, so nobody waits for it or keeps it.
    private mutating func completeWithoutBody() -> Step {
        bodyIsTooLarge = true
        body.removeAll(keepingCapacity: true)
        return complete()
    }

    private mutating func complete() -> Step {
        stage = .complete
        return .request
    }
}
