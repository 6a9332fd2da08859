/// FastCGI records as a web server writes them. They are built here so that the tests do not depend on the tested code.
package enum FastCGIWire {
    package static func record(
        _ type: UInt8, id: Int = 1, _ content: [UInt8] = [], padding: Int = 0, version: UInt8 = 1
    )
        -> [UInt8]
    {
        let header: [UInt8] = [
            version, type, UInt8(id >> 8), UInt8(id & 255), UInt8(content.count >> 8), UInt8(content.count & 255),
            UInt8(padding), 0,
        ]
        return header + content + [UInt8](repeating: 0xAA, count: padding)
    }

    package static func begin(id: Int = 1, role: UInt8 = 1, keep: Bool = true) -> [UInt8] {
        record(1, id: id, [0, role, keep ? 1 : 0, 0, 0, 0, 0, 0])
    }

    package static func pair(_ name: String, _ value: String) -> [UInt8] {
        length(name.utf8.count) + length(value.utf8.count) + Array(name.utf8) + Array(value.utf8)
    }

    package static func length(_ count: Int) -> [UInt8] {
        count < 128
            ? [UInt8(count)]
            : [UInt8(count >> 24) | 0x80, UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255)]
    }

    /// A stream cut into records of at most `size` bytes, and its end.
    ///
    /// - Parameter endPadding: the padding of the last record. No known web server pads it.
    package static func stream(
        _ type: UInt8, id: Int = 1, _ content: [UInt8], size: Int = 65535, padding: Int = 0, endPadding: Int = 0
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: content.count, by: size) {
            bytes += record(type, id: id, Array(content[start..<min(start + size, content.count)]), padding: padding)
        }
        return bytes + record(type, id: id, padding: endPadding)
    }

    package static func request(
        _ uri: String = "/echo", id: Int = 1, body: [UInt8] = [], keep: Bool = true, recordSize: Int = 65535,
        padding: Int = 0, parameters: [(String, String)] = []
    ) -> [UInt8] {
        let all = [("DOCUMENT_URI", uri), ("CONTENT_LENGTH", String(body.count))] + parameters
        return begin(id: id, keep: keep)
            + stream(4, id: id, all.flatMap { pair($0.0, $0.1) }, size: recordSize, padding: padding)
            + stream(5, id: id, body, size: recordSize, padding: padding)
    }
}
