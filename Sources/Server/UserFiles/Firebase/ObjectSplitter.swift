/// Finds the objects in the array of a JSON document without holding the document: `[{…}, …]`, or the first array of a
/// document `{"users": [{…}, …]}`.
struct ObjectSplitter {
    enum Fault: Error, Equatable {
        case longObject
        case unfinished
    }

    static let longestObject = 1 << 20

    private var depth = 0
    /// The depth of the array; nil before it.
    private var arrayDepth: Int?
    private var isInText = false
    private var isEscaped = false
    private var object: [UInt8] = []
    private var hasEnded = false

    /// - Parameter body: gets the bytes of each object.
    mutating func split(_ chunk: [UInt8], _ body: ([UInt8]) throws -> Void) throws {
        for byte in chunk where !hasEnded { try take(byte, body) }
    }

    func finish() throws(Fault) {
        if !hasEnded { throw .unfinished }
    }

    private var isInObject: Bool { arrayDepth.map { depth > $0 } ?? false }

    private mutating func take(_ byte: UInt8, _ body: ([UInt8]) throws -> Void) throws {
        if isInText {
            if isInObject { try append(byte) }
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else {
                isInText = byte != UInt8(ascii: "\"")
            }
            return
        }
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            depth += 1
            if arrayDepth == nil, byte == UInt8(ascii: "[") { arrayDepth = depth }
            if isInObject { try append(byte) }
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            if isInObject { try append(byte) }
            depth -= 1
            if depth == arrayDepth, !object.isEmpty {
                try body(object)
                object.removeAll(keepingCapacity: true)
            }
            if let arrayDepth, depth < arrayDepth { hasEnded = true }
        default:
            isInText = byte == UInt8(ascii: "\"")
            if isInObject { try append(byte) }
        }
    }

    private mutating func append(_ byte: UInt8) throws(Fault) {
        guard object.count < Self.longestObject else { throw .longObject }
        object.append(byte)
    }
}
