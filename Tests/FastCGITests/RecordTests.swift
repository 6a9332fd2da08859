import Testing

@testable import FastCGI
@testable import TestSupport

@Suite struct RecordTests {
    @Test("a header's numbers are read in network order")
    func readsHeader() {
        let header = RecordHeader(bits: 0x01_05_0102_0304_06_00)
        #expect(header.version == 1)
        #expect(header.type == .standardInput)
        #expect(header.requestID == 0x0102)
        #expect(header.contentLength == 0x0304)
        #expect(header.paddingLength == 6)
    }

    @Test("a header is written as it is read", arguments: [0, 1, 127, 128, 255, 256, 65535])
    func writesHeader(_ length: Int) {
        var bytes: [UInt8] = []
        RecordHeader(type: .parameters, requestID: 0xFFFE, contentLength: length).append(to: &bytes)
        #expect(bytes == Array(FastCGIWire.record(4, id: 0xFFFE, [UInt8](repeating: 0, count: length)).prefix(8)))
    }

    @Test(
        "the end of a request says how it ended",
        arguments: [(Reply.Ending.complete, 0), (.cannotMultiplex, 1), (.unknownRole, 3)] as [(Reply.Ending, UInt8)])
    func writesEnd(_ ending: Reply.Ending, _ status: UInt8) {
        #expect(Reply.end(258, ending) == [1, 3, 1, 2, 0, 8, 0, 0, 0, 0, 0, 0, status, 0, 0, 0])
    }

    @Test("an unknown type is named in the answer")
    func writesUnknownType() {
        #expect(Reply.unknownType(RecordType(rawValue: 77)) == [1, 11, 0, 0, 0, 8, 0, 0, 77, 0, 0, 0, 0, 0, 0, 0])
    }

    @Test("values are told for the names that were asked, and no others")
    func writesValues() {
        let query =
            FastCGIWire.pair("FCGI_MPXS_CONNS", "") + FastCGIWire.pair("OTHER", "")
            + FastCGIWire.pair("FCGI_MAX_CONNS", "")
        let content = FastCGIWire.pair("FCGI_MPXS_CONNS", "0") + FastCGIWire.pair("FCGI_MAX_CONNS", "321")
        #expect(Reply.values(for: query, connections: 321) == FastCGIWire.record(10, id: 0, content))
        #expect(Reply.values(for: [5, 0], connections: 1) == nil)
    }

    @Test(
        "an answer is standard output in as few records as hold it, its end, and the request's",
        arguments: [
            (0, []), (1, [1]), (300, [300]), (65535, [65535]), (65536, [65535, 1]), (131071, [65535, 65535, 1]),
        ])
    func writesAnswer(_ count: Int, _ parts: [Int]) {
        var bytes: [UInt8] = [1, 2, 3]
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 % 251) }
        Answer.write(to: 9, into: &bytes) { $0 += content }
        var (expected, start) = ([UInt8](), 0)
        for part in parts {
            expected += FastCGIWire.record(6, id: 9, Array(content[start..<start + part]))
            start += part
        }
        #expect(
            bytes == expected + FastCGIWire.record(6, id: 9, [])
                + FastCGIWire.record(3, id: 9, [0, 0, 0, 0, 0, 0, 0, 0]))
    }
}
