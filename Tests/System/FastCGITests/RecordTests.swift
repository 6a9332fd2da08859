import Testing

@testable import FastCGI
@testable import TestSupport

@Suite struct RecordTests {
    @Test("a written header can be read", arguments: [0, 1, 127, 128, 255, 256, 65535])
    func writesHeader(_ length: Int) throws {
        let bytes = RecordHeader.bytes(.parameters, requestID: 0xFFFE, contentLength: length)
        let record = FastCGIWire.record(4, id: 0xFFFE, [UInt8](repeating: 0, count: length))
        #expect(bytes == Array(record.prefix(8)))
        let header = try RecordHeader(bytes.span, at: 0)
        #expect(header.type == .parameters && header.requestID == 0xFFFE)
        #expect(header.contentLength == length && header.paddingLength == 0)
    }

    @Test(
        "the end of a request is found in chunks of any size, with the bytes after it", arguments: [1, 3, 8, 9, 1000])
    func findsEnd(_ size: Int) {
        let request = FastCGIWire.request(body: [UInt8](repeating: 1, count: 300), recordSize: 100, padding: 5)
        let bytes = request + [7, 7]
        var end = RequestEnd()
        for start in stride(from: 0, to: bytes.count, by: size) {
            let chunk = bytes[start..<min(start + size, bytes.count)]
            let rest = end.find(in: chunk)
            // The end is found in the chunk that completes the last header.
            guard chunk.endIndex >= bytes.count - 2 else {
                #expect(rest == nil)
                continue
            }
            #expect(rest.map(Array.init) == Array(bytes[(bytes.count - 2)..<chunk.endIndex]))
            break
        }
    }
}

@Suite struct NameValuesTests {
    /// Section 3.4: one byte up to 127, otherwise four bytes in big-endian order without the highest bit.
    @Test(
        "a length below 128 takes one byte, a larger one takes four",
        arguments: [
            (bytes: [0], length: 0, used: 1), (bytes: [1], length: 1, used: 1), (bytes: [127], length: 127, used: 1),
            (bytes: [0x80, 0, 0, 128], length: 128, used: 4), (bytes: [0x80, 0, 0, 5], length: 5, used: 4),
            (bytes: [0x80, 0, 1, 0], length: 256, used: 4),
            (bytes: [0x80, 1, 0, 0], length: 65536, used: 4), (bytes: [0x81, 0, 0, 0], length: 1 << 24, used: 4),
            (bytes: [0x81, 2, 3, 4], length: 0x0102_0304, used: 4),
            (bytes: [0xFF, 0xFF, 0xFF, 0xFF], length: 0x7FFF_FFFF, used: 4),
        ] as [(bytes: [UInt8], length: Int, used: Int)])
    func decodesLengths(_ bytes: [UInt8], _ length: Int, _ used: Int) {
        var index = 0
        let following = bytes + [9, 9]
        #expect(NameValues.length(in: following.span, at: &index) == length)
        #expect(index == used)
    }

    @Test(
        "pairs with lengths around the boundary are found",
        arguments: [0, 1, 126, 127, 128, 129, 300])
    func findsPairs(_ length: Int) throws {
        let name = String(repeating: "n", count: length)
        let value = String(repeating: "v", count: length)
        let bytes = FastCGIWire.pair("A", "B") + FastCGIWire.pair(name, value) + FastCGIWire.pair("", "")
        var found: [String] = []
        try NameValues.forEach(in: bytes.span) { name, value in
            found.append(
                String(decoding: bytes[name], as: UTF8.self) + "="
                    + String(decoding: bytes[value], as: UTF8.self))
        }
        #expect(found == ["A=B", name + "=" + value, "="])
    }

    @Test("truncated pairs are malformed at every cut")
    func refusesCutPairs() {
        let bytes = FastCGIWire.pair("NAME", "value") + FastCGIWire.pair(String(repeating: "n", count: 200), "v")
        let whole = [0, FastCGIWire.pair("NAME", "value").count, bytes.count]
        for cut in 0...bytes.count {
            let isWhole =
                (try? NameValues.forEach(in: bytes.span.extracting(first: cut)) { _, _ in }) != nil
            #expect(isWhole == whole.contains(cut), "cut at \(cut)")
        }
    }
}
