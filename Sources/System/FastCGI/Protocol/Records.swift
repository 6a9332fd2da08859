/// The header of a record, eight bytes (FastCGI specification, section 3.3).
package struct RecordHeader: Equatable {
    package static let length = 8

    package let type: RecordType
    package let requestID: UInt16
    package let contentLength: Int
    package let paddingLength: Int

    /// Reads a complete header.
    init(_ bytes: Span<UInt8>, at offset: Int) throws(ProtocolFault) {
        guard bytes[offset] == 1 else { throw .unsupportedVersion }
        type = RecordType(rawValue: bytes[offset + 1]) ?? .other
        requestID = UInt16(bytes[offset + 2]) << 8 | UInt16(bytes[offset + 3])
        contentLength = Int(bytes[offset + 4]) << 8 | Int(bytes[offset + 5])
        paddingLength = Int(bytes[offset + 6])
    }

    package static func bytes(_ type: RecordType, requestID: Int, contentLength: Int) -> [UInt8] {
        let numbers = [requestID, contentLength].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        return [1, type.rawValue] + numbers + [0, 0]
    }
}

/// The types of record that a responder or its client reads or writes.
package enum RecordType: UInt8 {
    case beginRequest = 1
    case endRequest = 3
    case parameters = 4
    case standardInput = 5
    case standardOutput = 6
    case other = 255
}

/// Iterates over the records in a buffer that may end in the middle of a record.
package struct RecordWalk {
    /// The range of the last record's content. It may end beyond the buffer.
    package private(set) var content = 0..<0
    private(set) var nextOffset = 0

    /// The header of the next record; nil if it is incomplete.
    package mutating func next(in bytes: Span<UInt8>) throws(ProtocolFault) -> RecordHeader? {
        guard nextOffset + RecordHeader.length <= bytes.count else { return nil }
        let header = try RecordHeader(bytes, at: nextOffset)
        content = nextOffset + RecordHeader.length..<nextOffset + RecordHeader.length + header.contentLength
        nextOffset = content.upperBound + header.paddingLength
        return header
    }

    /// The header of the next record, which must have this type and request id.
    mutating func next(_ type: RecordType, of id: UInt16, in bytes: Span<UInt8>) throws(ProtocolFault) -> RecordHeader?
    {
        guard let header = try next(in: bytes) else { return nil }
        guard header.type == type, header.requestID == id else { throw .protocolViolation }
        return header
    }
}

/// Finds the end of a request in a stream of bytes that are not kept.
struct RequestEnd {
    private var header: [UInt8] = []
    private var bytesToSkip = 0

    /// The bytes after the last record of the request; nil if the request does not end in these bytes.
    mutating func find(in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var rest = bytes
        while !rest.isEmpty {
            let skipped = min(bytesToSkip, rest.count)
            bytesToSkip -= skipped
            rest = rest.dropFirst(skipped)
            guard let byte = rest.popFirst() else { break }
            header.append(byte)
            guard header.count == RecordHeader.length else { continue }
            guard let record = try? RecordHeader(header.span, at: 0) else { return bytes }
            header = []
            bytesToSkip = record.contentLength + record.paddingLength
            if record.type == .standardInput, record.contentLength == 0 { return rest }
        }
        return nil
    }
}

/// Name-value pairs (section 3.4): two lengths, the name and the value.
enum NameValues {
    /// Calls `body` with the ranges of each pair's name and value. Throws if a length exceeds the bytes.
    static func forEach(in bytes: Span<UInt8>, _ body: (Range<Int>, Range<Int>) -> Void) throws(ProtocolFault) {
        var index = 0
        while index < bytes.count {
            guard let nameLength = length(in: bytes, at: &index),
                let valueLength = length(in: bytes, at: &index),
                nameLength + valueLength <= bytes.count - index
            else { throw .malformedParameters }
            let value = index + nameLength
            body(index..<value, value..<value + valueLength)
            index = value + valueLength
        }
    }

    /// Reads a length: one byte below 128, or four bytes in big-endian order with the highest bit set.
    static func length(in bytes: Span<UInt8>, at index: inout Int) -> Int? {
        guard index < bytes.count else { return nil }
        let size = bytes[index] < 0x80 ? 1 : 4
        guard bytes.count - index >= size else { return nil }
        defer { index += size }
        return (index + 1..<index + size).reduce(Int(bytes[index] & 0x7F)) { $0 << 8 | Int(bytes[$1]) }
    }
}
