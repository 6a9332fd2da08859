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
