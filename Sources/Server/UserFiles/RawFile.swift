/// A file of another product, which has to be converted before its users are imported.
package enum RawFile {
    case firebase
    case supabase

    /// Columns that only Supabase's tables have.
    private static let columns = ["encrypted_password", "raw_user_meta_data", "identity_data"]

    /// Nil for a file that may have a user in each line.
    ///
    /// - Parameter start: the first bytes of the file.
    package init?(start: [UInt8]) {
        let start = start.starts(with: [0xEF, 0xBB, 0xBF]) ? start[3...] : start[...]
        let text = String(decoding: start.prefix(1 << 14), as: UTF8.self)
        let firstLine = text.prefix { !$0.isNewline }
        let isArray = text.prefixMatch(of: /\s*(\[|\{\s*"users"\s*:)/) != nil
        guard isArray || !firstLine.hasPrefix("{") else { return nil }
        let head = isArray ? text[...] : firstLine
        if Self.columns.contains(where: { head.contains($0) }) {
            self = .supabase
        } else if isArray {
            self = .firebase
        } else {
            return nil
        }
    }
}

/// Splits a stream of bytes into lines. A line that is too long is skipped, so that a file of any size needs little memory.
package struct LineSplitter {
    package enum Line: Sendable, Equatable {
        case bytes([UInt8])
        case tooLong
    }

    package static let longestLine = 65_536

    private var rest: [UInt8] = []
    private var isTooLong = false
    private var isAtStart = true

    package init() {}

    /// The lines that end in these bytes.
    package mutating func split(_ chunk: [UInt8], _ body: (Line) throws -> Void) rethrows {
        var start = 0
        while let end = chunk[start...].firstIndex(of: UInt8(ascii: "\n")) {
            append(chunk[start..<end])
            start = end + 1
            try body(take())
        }
        append(chunk[start...])
    }

    /// The last line, if no line end follows it.
    package mutating func finish(_ body: (Line) throws -> Void) rethrows {
        if !rest.isEmpty || isTooLong { try body(take()) }
    }

    private mutating func append(_ part: ArraySlice<UInt8>) {
        guard !isTooLong, rest.count + part.count <= Self.longestLine + 1 else {
            isTooLong = true
            return rest.removeAll()
        }
        rest += part
    }

    private mutating func take() -> Line {
        defer { (isTooLong, isAtStart) = (false, false) }
        guard !isTooLong else { return .tooLong }
        var line = rest
        rest.removeAll(keepingCapacity: true)
        // A byte order mark, and the carriage returns of files from Windows.
        if isAtStart, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return line.count > Self.longestLine ? .tooLong : .bytes(line)
    }
}

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
