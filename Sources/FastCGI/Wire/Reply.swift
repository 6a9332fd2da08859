/// The records that are no handler's answer.
enum Reply {
    /// Why a request ended without a handler (section 5.5).
    enum Ending: UInt8 {
        case complete = 0
        case cannotMultiplex = 1
        case unknownRole = 3
    }

    static func end(_ requestID: UInt16, _ ending: Ending) -> [UInt8] {
        var bytes: [UInt8] = []
        appendEnd(of: requestID, ending, to: &bytes)
        return bytes
    }

    static func appendEnd(of requestID: UInt16, _ ending: Ending, to bytes: inout [UInt8]) {
        RecordHeader(type: .endRequest, requestID: requestID, contentLength: 8).append(to: &bytes)
        // No application status, the ending, three reserved bytes.
        for byte in [0, 0, 0, 0, ending.rawValue, 0, 0, 0] { bytes.append(byte) }
    }

    static func unknownType(_ type: RecordType) -> [UInt8] {
        record(.unknownType, 0, [type.rawValue, 0, 0, 0, 0, 0, 0, 0])
    }

    /// Answers a query for the names in `query`; names that mean nothing here are left out (section 4.1). One
    /// connection carries one request at a time.
    static func values(for query: [UInt8], connections: Int) -> [UInt8]? {
        var content: [UInt8] = []
        let isWellFormed = NameValues.forEach(in: query) { name, _ in
            switch String(decoding: query[name], as: UTF8.self) {
            case "FCGI_MAX_CONNS": append("FCGI_MAX_CONNS", String(connections), to: &content)
            case "FCGI_MAX_REQS": append("FCGI_MAX_REQS", String(connections), to: &content)
            case "FCGI_MPXS_CONNS": append("FCGI_MPXS_CONNS", "0", to: &content)
            default: break
            }
        }
        return isWellFormed ? record(.getValuesResult, 0, content) : nil
    }

    private static func append(_ name: String, _ value: String, to content: inout [UInt8]) {
        content.append(UInt8(name.utf8.count))
        content.append(UInt8(value.utf8.count))
        content.append(contentsOf: name.utf8)
        content.append(contentsOf: value.utf8)
    }

    private static func record(_ type: RecordType, _ requestID: UInt16, _ content: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(RecordHeader.length + content.count)
        RecordHeader(type: type, requestID: requestID, contentLength: content.count).append(to: &bytes)
        bytes.append(contentsOf: content)
        return bytes
    }
}
