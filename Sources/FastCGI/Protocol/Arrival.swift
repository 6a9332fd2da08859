import POSIX

/// What lies in a connection's socket, looked at without being taken.
///
/// libfcgi reads a request in one go and would wait in the middle of it, so it is called only once all of it is there. It also
/// trusts its input: it ends the process over a parameter too long for malloc, writes behind its buffer when a query of values
/// repeats itself, and loses its place where the records of two requests are mixed. So all that it gets is one request of the
/// form that every front sends, whose pairs have true lengths.
enum Arrival: Equatable {
    case nothing
    case ended
    case incomplete
    /// A whole request, or all of it but a body that is too large.
    case request(Body)

    struct Body: Equatable {
        var length = 0
        /// It is longer than it may be, or is announced to be.
        var isTooLarge = false
        /// Bytes without meaning follow its last record, which libfcgi does not read.
        var isPadded = false
    }

    /// Nearly every request fits, and one look is enough.
    static let usualLength = 16 << 10
    /// More than the limits let in with records of a sensible size.
    private static let longest = 1 << 20

    /// - Parameter buffer: grows if it is too small.
    static func look(
        at socket: borrowing FileDescriptor, _ buffer: inout [UInt8], _ limits: Limits
    ) throws(Refusal) -> Arrival {
        while true {
            switch socket.peek(into: &buffer) {
            case .wouldBlock: return .nothing
            case .ended: return .ended
            case .moved(let count):
                let arrival = try Arrival(in: buffer.span.extracting(first: count), limits)
                guard arrival == .incomplete, count == buffer.count else { return arrival }
                guard count < longest else { throw .protocolViolation }
                buffer = [UInt8](repeating: 0, count: 4 * count)
            }
        }
    }

    init(in bytes: Span<UInt8>, _ limits: Limits) throws(Refusal) {
        var walk = RecordWalk()
        guard let id = try Self.requestID(in: bytes, &walk),
            let announced = try Self.readParameters(of: id, in: bytes, &walk, limits)
        else {
            self = .incomplete
            return
        }
        let isTooLarge = announced > limits.body
        self = isTooLarge ? .request(Body(isTooLarge: true)) : try Self.readBody(of: id, in: bytes, &walk, limits)
    }

    /// The id of a request to a responder; nil where its beginning is not there in full.
    private static func requestID(in bytes: Span<UInt8>, _ walk: inout RecordWalk) throws(Refusal) -> UInt16? {
        guard let header = try walk.next(in: bytes) else { return nil }
        guard header.type == .beginRequest, header.requestID != 0, header.contentLength == 8 else {
            throw .protocolViolation
        }
        guard walk.content.upperBound <= bytes.count else { return nil }
        guard bytes[walk.content.lowerBound] == 0, bytes[walk.content.lowerBound + 1] == 1 else {
            throw .protocolViolation
        }
        return header.requestID
    }

    /// How long the body is said to be, 0 where that is not said; nil where the parameters are not there in full.
    private static func readParameters(
        of id: UInt16, in bytes: Span<UInt8>, _ walk: inout RecordWalk, _ limits: Limits
    ) throws(Refusal) -> Int? {
        var parts: [Range<Int>] = []
        var length = 0
        while let header = try walk.next(in: bytes) {
            guard header.type == .parameters, header.requestID == id else { throw .protocolViolation }
            guard header.contentLength > 0 else { return try announcedLength(in: bytes, parts) }
            parts.append(walk.content)
            length += header.contentLength
            guard length <= limits.parameters else { throw .parametersTooLong }
        }
        return nil
    }

    /// Nearly always one record has all parameters. Where there are several, a pair may lie in two of them.
    private static func announcedLength(in bytes: Span<UInt8>, _ parts: [Range<Int>]) throws(Refusal) -> Int {
        if parts.count == 1 { return try announcedLength(in: bytes.extracting(parts[0])) }
        let joined = parts.flatMap { part in part.map { bytes[$0] } }
        return try announcedLength(in: joined.span)
    }

    private static func announcedLength(in parameters: Span<UInt8>) throws(Refusal) -> Int {
        let wanted = "CONTENT_LENGTH".utf8.span
        var announced = 0
        try NameValues.forEach(in: parameters) { name, value in
            guard name.count == wanted.count else { return }
            for index in wanted.indices where parameters[name.lowerBound + index] != wanted[index] { return }
            let digits = value.map { parameters[$0] }
            guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return }
            announced = Int(String(decoding: digits, as: UTF8.self)) ?? .max
        }
        return announced
    }

    private static func readBody(
        of id: UInt16, in bytes: Span<UInt8>, _ walk: inout RecordWalk, _ limits: Limits
    ) throws(Refusal) -> Arrival {
        var body = Body()
        while let header = try walk.next(in: bytes) {
            guard header.type == .standardInput, header.requestID == id else { throw .protocolViolation }
            body.length += header.contentLength
            body.isTooLarge = body.length > limits.body
            body.isPadded = header.paddingLength > 0
            if body.isTooLarge || header.contentLength == 0 { return .request(body) }
        }
        return .incomplete
    }
}
