import Testing

@testable import FastCGI
@testable import TestSupport

@Suite struct RecordTests {
    @Test("a header's numbers are read in network order, wherever it lies", arguments: [0, 1, 9])
    func readsHeader(_ offset: Int) throws {
        let bytes = [UInt8](repeating: 0xEE, count: offset) + [1, 5, 1, 2, 3, 4, 6, 0]
        let header = try RecordHeader(bytes.span, at: offset)
        #expect(header.type == .standardInput)
        #expect(header.requestID == 0x0102)
        #expect(header.contentLength == 0x0304)
        #expect(header.paddingLength == 6)
    }

    @Test("another version is refused", arguments: [0, 2, 127, 255] as [UInt8])
    func version(_ version: UInt8) {
        let bytes = FastCGIWire.record(1, version: version)
        #expect(throws: Refusal.unsupportedVersion) { try RecordHeader(bytes.span, at: 0) }
    }

    @Test("a header is written as it is read", arguments: [0, 1, 127, 128, 255, 256, 65535])
    func writesHeader(_ length: Int) throws {
        let bytes = RecordHeader.bytes(.parameters, requestID: 0xFFFE, contentLength: length)
        let record = FastCGIWire.record(4, id: 0xFFFE, [UInt8](repeating: 0, count: length))
        #expect(bytes == Array(record.prefix(8)))
        let header = try RecordHeader(bytes.span, at: 0)
        #expect(header.type == .parameters && header.requestID == 0xFFFE)
        #expect(header.contentLength == length && header.paddingLength == 0)
    }

    @Test(
        "a walk goes from header to header, over content and padding", arguments: [0, 1, 7, 255],
        [0, 1, 300, 65535])
    func walks(_ padding: Int, _ length: Int) throws {
        let content = [UInt8](repeating: 9, count: length)
        let bytes =
            FastCGIWire.record(4, content, padding: padding)
            + FastCGIWire.record(5, [1], padding: padding)
        var walk = RecordWalk()
        #expect(try walk.next(in: bytes.span)?.type == .parameters)
        #expect(walk.content == 8..<8 + length)
        #expect(try walk.next(in: bytes.span)?.type == .standardInput)
        #expect(bytes[walk.content] == [1])
        #expect(walk.nextOffset == bytes.count)
        #expect(try walk.next(in: bytes.span) == nil)
    }

    @Test("a walk stops where a header is not there in full, and content may be missing")
    func stops() throws {
        let bytes = FastCGIWire.record(4, [1, 2, 3], padding: 2) + FastCGIWire.record(5)
        for cut in 0...bytes.count {
            var walk = RecordWalk()
            var found = 0
            while try walk.next(in: bytes.span.extracting(first: cut)) != nil { found += 1 }
            #expect(found == (cut < 8 ? 0 : cut < bytes.count ? 1 : 2), "cut at \(cut)")
        }
    }

    @Test("the end of a request is found in pieces of any size, and what follows it", arguments: [1, 3, 8, 9, 1000])
    func findsEnd(_ size: Int) {
        let request = FastCGIWire.request(body: [UInt8](repeating: 1, count: 300), recordSize: 100, padding: 5)
        let bytes = request + [7, 7]
        var end = RequestEnd()
        for start in stride(from: 0, to: bytes.count, by: size) {
            let piece = bytes[start..<min(start + size, bytes.count)]
            let behind = end.find(in: piece)
            // The last record begins the same number of bytes before the end, whatever the pieces.
            guard piece.endIndex >= bytes.count - 2 else {
                #expect(behind == nil)
                continue
            }
            #expect(behind.map(Array.init) == Array(bytes[(bytes.count - 2)..<piece.endIndex]))
            break
        }
    }
}
