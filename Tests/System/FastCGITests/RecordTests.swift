import Testing

@testable import FastCGI
@testable import TestSupport

@Suite struct RecordTests {
    @Test("the numbers of a header are read in network byte order, at any offset", arguments: [0, 1, 9])
    func readsHeader(_ offset: Int) throws {
        let bytes = [UInt8](repeating: 0xEE, count: offset) + [1, 5, 1, 2, 3, 4, 6, 0]
        let header = try RecordHeader(bytes.span, at: offset)
        #expect(header.type == .standardInput)
        #expect(header.requestID == 0x0102)
        #expect(header.contentLength == 0x0304)
        #expect(header.paddingLength == 6)
    }

    @Test("another version is rejected", arguments: [0, 2, 127, 255] as [UInt8])
    func version(_ version: UInt8) {
        let bytes = FastCGIWire.record(1, version: version)
        #expect(throws: Refusal.unsupportedVersion) { try RecordHeader(bytes.span, at: 0) }
    }

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
        "a walk skips content and padding", arguments: [0, 1, 7, 255],
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

    @Test("a walk stops at an incomplete header, and the last content may be incomplete")
    func stops() throws {
        let bytes = FastCGIWire.record(4, [1, 2, 3], padding: 2) + FastCGIWire.record(5)
        for cut in 0...bytes.count {
            var walk = RecordWalk()
            var found = 0
            while try walk.next(in: bytes.span.extracting(first: cut)) != nil { found += 1 }
            #expect(found == (cut < 8 ? 0 : cut < bytes.count ? 1 : 2), "cut at \(cut)")
        }
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
