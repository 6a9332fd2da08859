import POSIX

/// What lies in a connection's socket, looked at without being taken.
///
/// libfcgi reads a request in one go and would wait in the middle of it, so it is called only once all of it is there. It also
/// trusts its input: it ends the process over a parameter too long for malloc, writes behind its buffer when a query of values
/// repeats itself, and loses its place where records of two requests are mixed, or behind padding of some records. So it gets
/// nothing but one request of the form that every front sends, whose pairs have true lengths.
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
        /// Its last record has padding, which libfcgi does not read.
        var isPadded = false
    }

    /// More than the limits let in with records of a sensible size.
    static let longest = 1 << 20

    /// Where to look: nearly every request fits.
    static func buffer() -> [UInt8] { [UInt8](repeating: 0, count: 16 << 10) }

    /// - Parameter buffer: grows for the time if it is too small.
    static func look(
        at socket: borrowing FileDescriptor, _ buffer: inout [UInt8], _ limits: Limits
    ) throws(Refusal) -> Arrival {
        let length = buffer.count
        defer { if buffer.count > length { buffer = Self.buffer() } }
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
        self = .incomplete
        guard let begin = try walk.next(in: bytes) else { return }
        let isWellFormed = begin.type == .beginRequest && begin.requestID != 0 && begin.contentLength == 8
        guard isWellFormed, begin.paddingLength == 0 else { throw .protocolViolation }
        guard walk.content.upperBound <= bytes.count else { return }
        // A responder's role; section 4.3 knows others.
        guard bytes[RecordHeader.length] == 0, bytes[RecordHeader.length + 1] == 1 else { throw .protocolViolation }
        guard let announced = try Self.readParameters(of: begin.requestID, in: bytes, &walk, limits) else { return }
        var body = Body(isTooLarge: announced > limits.body)
        while !body.isTooLarge {
            guard let header = try walk.next(.standardInput, of: begin.requestID, in: bytes) else { return }
            body.length += header.contentLength
            body.isTooLarge = body.length > limits.body
            body.isPadded = header.paddingLength > 0
            if header.contentLength == 0 { break }
        }
        self = .request(body)
    }

    /// How long the body is said to be, 0 where that is not said; nil where the parameters are not there in full.
    private static func readParameters(
        of id: UInt16, in bytes: Span<UInt8>, _ walk: inout RecordWalk, _ limits: Limits
    ) throws(Refusal) -> Int? {
        var parts: [Range<Int>] = []
        var length = 0
        while let header = try walk.next(.parameters, of: id, in: bytes) {
            if header.contentLength == 0 {
                guard header.paddingLength == 0 else { throw .protocolViolation }
                return try announcedLength(in: bytes, parts)
            }
            parts.append(walk.content)
            length += header.contentLength
            guard length <= limits.parameters else { throw .parametersTooLong }
        }
        return nil
    }

    private static func announcedLength(in bytes: Span<UInt8>, _ parts: [Range<Int>]) throws(Refusal) -> Int {
        // A pair may lie in two records, but nearly always one has all.
        let joined = parts.count == 1 ? [] : parts.flatMap { part in part.map { bytes[$0] } }
        let parameters = parts.count == 1 ? bytes.extracting(parts[0]) : joined.span
        let wanted = "CONTENT_LENGTH".utf8.span
        var announced: Int?
        // libfcgi keeps a pair as the C string "NAME=value".
        var isAmbiguous = false
        try NameValues.forEach(in: parameters) { name, value in
            if parameters.extracting(name.lowerBound..<value.upperBound).has(0) { isAmbiguous = true }
            if parameters.extracting(name).has(UInt8(ascii: "=")) { isAmbiguous = true }
            guard announced == nil, name.count == wanted.count else { return }
            for index in wanted.indices where parameters[name.lowerBound + index] != wanted[index] { return }
            let digits = value.map { parameters[$0] }
            guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return }
            announced = Int(String(decoding: digits, as: UTF8.self)) ?? .max
        }
        if isAmbiguous { throw .malformedParameters }
        return announced ?? 0
    }
}
