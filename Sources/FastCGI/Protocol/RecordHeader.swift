/// The eight bytes in front of every record, as section 3.3 of the FastCGI specification lays them out.
struct RecordHeader: Equatable {
    static let length = 8

    let type: RecordType
    let requestID: UInt16
    let contentLength: Int
    let paddingLength: Int

    init(type: RecordType, requestID: UInt16, contentLength: Int) {
        self.type = type
        self.requestID = requestID
        self.contentLength = contentLength
        paddingLength = 0
    }

    /// Reads a header, all of which is there.
    init(_ bytes: Span<UInt8>, at offset: Int) throws(Refusal) {
        guard bytes[offset] == 1 else { throw .unsupportedVersion }
        type = RecordType(rawValue: bytes[offset + 1])
        requestID = UInt16(bytes[offset + 2]) << 8 | UInt16(bytes[offset + 3])
        contentLength = Int(bytes[offset + 4]) << 8 | Int(bytes[offset + 5])
        paddingLength = Int(bytes[offset + 6])
    }

    var bytes: [UInt8] {
        [
            1, type.rawValue, UInt8(requestID >> 8), UInt8(truncatingIfNeeded: requestID), UInt8(contentLength >> 8),
            UInt8(truncatingIfNeeded: contentLength), UInt8(paddingLength), 0,
        ]
    }
}

/// What a record is, of those that a responder or its client reads or writes.
struct RecordType: Equatable {
    let rawValue: UInt8

    static let beginRequest = RecordType(rawValue: 1)
    static let endRequest = RecordType(rawValue: 3)
    static let parameters = RecordType(rawValue: 4)
    static let standardInput = RecordType(rawValue: 5)
    static let standardOutput = RecordType(rawValue: 6)
}

/// Goes from record to record over bytes that may end in the middle of one.
struct RecordWalk {
    /// Where the content of the last record lies. It may end behind the bytes.
    private(set) var content = 0..<0
    private(set) var nextOffset = 0

    /// The next record's header; nil where it is not there in full.
    mutating func next(in bytes: Span<UInt8>) throws(Refusal) -> RecordHeader? {
        guard nextOffset + RecordHeader.length <= bytes.count else { return nil }
        let header = try RecordHeader(bytes, at: nextOffset)
        let start = nextOffset + RecordHeader.length
        content = start..<start + header.contentLength
        nextOffset = content.upperBound + header.paddingLength
        return header
    }
}
