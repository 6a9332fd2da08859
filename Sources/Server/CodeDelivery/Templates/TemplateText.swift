/// The lines of a template's file.
enum TemplateText {
    static let largestFile = 16 * 1024

    /// Lines without their ends, and without empty ones at the end of the text.
    static func lines(of bytes: [UInt8]) throws(TemplateFault.Reason) -> [String] {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
        // Editors on Windows write a byte order mark and CRLF.
        var scalars = Array(text.unicodeScalars)
        if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
        var lines = scalars.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.last == "\r" ? line.dropLast() : line
        }
        while let last = lines.last, last.allSatisfy(\.properties.isWhitespace) { lines.removeLast() }
        guard !lines.isEmpty else { throw .empty }
        guard lines.joined().allSatisfy(isText) else { throw .controlCharacter }
        return lines.map { line in
            var text = ""
            text.unicodeScalars.append(contentsOf: line)
            return text
        }
    }

    private static func isText(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\t" || scalar.properties.generalCategory != .control
    }
}
