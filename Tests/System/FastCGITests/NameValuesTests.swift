import Testing

@testable import FastCGI
@testable import TestSupport

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

    @Test("a truncated length is rejected", arguments: [[], [0x80], [0x80, 0], [0xFF, 0xFF, 0xFF]] as [[UInt8]])
    func refusesCutLengths(_ bytes: [UInt8]) {
        var index = 0
        #expect(NameValues.length(in: bytes.span, at: &index) == nil)
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

    @Test("a length of a name, a value or both beyond the end is malformed")
    func refusesLongPairs() {
        let table: [[UInt8]] = [
            [0xFF, 0xFF, 0xFF, 0xFF, 0], [0x80, 0, 0, 1, 1, 65], [2, 0, 65], [0, 1], [1], [0x80, 0, 0],
            [0x7F, 0xFF, 0xFF, 0xFF, 0xFF], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 65],
            [1, 1, 65],
        ]
        for bytes in table {
            #expect(throws: Refusal.malformedParameters, "\(bytes)") {
                try NameValues.forEach(in: bytes.span) { _, _ in }
            }
        }
    }
}
