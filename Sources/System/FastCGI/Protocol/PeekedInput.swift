internal import Glibc
import POSIX
import Sockets

/// The bytes in a connection's socket, read with MSG_PEEK and validated.
///
/// libfcgi blocks in the middle of an incomplete request, so it is called only once the whole request has arrived.
/// It also trusts its input: it ends the process if malloc fails for a long parameter, writes past its buffer when
/// a query of values repeats a name, and misreads the stream if the records of two requests are interleaved or
/// some records have padding. So it only gets a single request in the form that every web server sends, with the
/// length of every pair verified.
enum PeekedInput: Equatable {
    case nothing
    case ended
    case incomplete
    /// A complete request, or one that is complete except for a body that is too large.
    case request(Body)

    struct Body: Equatable {
        var length = 0
        /// The body, or its announced length, exceeds the limit.
        var isTooLarge = false
        /// The last record has padding, which libfcgi does not read.
        var isPadded = false
    }

    /// Twice the parameters and the body that `Limits` allow. The rest is for the headers of records, of which web servers
    /// write few.
    static let maximumLength = 256 << 10

    /// A buffer that nearly every request fits in.
    static func buffer() -> [UInt8] { [UInt8](repeating: 0, count: 16 << 10) }

    /// - Parameter buffer: enlarged during the call if the request does not fit.
    static func peek(
        at socket: borrowing FileDescriptor, _ buffer: inout [UInt8], _ limits: Limits
    ) throws(ProtocolFault) -> PeekedInput {
        let length = buffer.count
        defer { if buffer.count > length { buffer = Self.buffer() } }
        while true {
            switch socket.peek(into: &buffer) {
            case .wouldBlock: return .nothing
            case .ended: return .ended
            case .moved(let count):
                let input = try PeekedInput(in: buffer.span.extracting(first: count), limits)
                guard input == .incomplete, count == buffer.count else { return input }
                guard count < maximumLength else { throw .protocolViolation }
                buffer = [UInt8](repeating: 0, count: 4 * count)
            }
        }
    }

    init(in bytes: Span<UInt8>, _ limits: Limits) throws(ProtocolFault) {
        var walk = RecordWalk()
        self = .incomplete
        guard let begin = try walk.next(in: bytes) else { return }
        let isWellFormed = begin.type == .beginRequest && begin.requestID != 0 && begin.contentLength == 8
        guard isWellFormed, begin.paddingLength == 0 else { throw .protocolViolation }
        guard walk.content.upperBound <= bytes.count else { return }
        // The role FCGI_RESPONDER (section 4.3).
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

    /// The value of CONTENT_LENGTH, 0 without one; nil if the parameters are incomplete.
    private static func readParameters(
        of id: UInt16, in bytes: Span<UInt8>, _ walk: inout RecordWalk, _ limits: Limits
    ) throws(ProtocolFault) -> Int? {
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

    private static func announcedLength(in bytes: Span<UInt8>, _ parts: [Range<Int>]) throws(ProtocolFault) -> Int {
        // A pair may span two records, but nearly always there is only one record.
        let joined = parts.count == 1 ? [] : parts.flatMap { part in part.map { bytes[$0] } }
        let parameters = parts.count == 1 ? bytes.extracting(parts[0]) : joined.span
        let wanted = "CONTENT_LENGTH".utf8.span
        var announced: Int?
        // libfcgi stores a pair as the C string "NAME=value".
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

extension Span<UInt8> {
    fileprivate func has(_ byte: UInt8) -> Bool {
        unsafe withUnsafeBytes { unsafe !$0.isEmpty && memchr($0.baseAddress!, Int32(byte), count) != nil }
    }
}
