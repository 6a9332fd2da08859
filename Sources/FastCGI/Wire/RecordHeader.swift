/// The eight bytes in front of every record, as section 3.3 of the FastCGI specification lays them out.
struct RecordHeader: Equatable {
    static let length = 8
    static let longestContent = 65535

    var version: UInt8 = 1
    var type: RecordType
    var requestID: UInt16
    var contentLength: Int
    var paddingLength: Int = 0

    /// Zero is no request's id: such records speak of the connection.
    var isManagement: Bool { requestID == 0 }

    init(type: RecordType, requestID: UInt16, contentLength: Int) {
        self.type = type
        self.requestID = requestID
        self.contentLength = contentLength
    }

    /// The header's bytes as one number, the first byte highest. The last byte is reserved.
    init(bits: UInt64) {
        version = UInt8(truncatingIfNeeded: bits >> 56)
        type = RecordType(rawValue: UInt8(truncatingIfNeeded: bits >> 48))
        requestID = UInt16(truncatingIfNeeded: bits >> 32)
        contentLength = Int(UInt16(truncatingIfNeeded: bits >> 16))
        paddingLength = Int(UInt8(truncatingIfNeeded: bits >> 8))
    }

    /// Changes the header that the bytes begin with.
    static func setContentLength(_ count: Int, in bytes: inout [UInt8]) {
        bytes[4] = UInt8(count >> 8)
        bytes[5] = UInt8(truncatingIfNeeded: count)
    }

    func append(to bytes: inout [UInt8]) {
        bytes.append(version)
        bytes.append(type.rawValue)
        bytes.append(UInt8(requestID >> 8))
        bytes.append(UInt8(truncatingIfNeeded: requestID))
        bytes.append(UInt8(contentLength >> 8))
        bytes.append(UInt8(truncatingIfNeeded: contentLength))
        bytes.append(UInt8(paddingLength))
        bytes.append(0)
    }
}
