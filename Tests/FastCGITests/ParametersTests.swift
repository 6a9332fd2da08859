import Testing

@testable import FastCGI
@testable import TestSupport

@Suite struct ParametersTests {
    @Test(
        "a parameter is found by its whole name, and of several the first",
        arguments: [
            ("A", "1"), ("AB", "2"), ("ABC", "3"), ("LONG_NAME_OF_A_PARAMETER", "4"), ("", "5"), ("EMPTY", ""),
            ("B", nil),
            ("ABCD", nil), ("a", nil), ("LONG_NAME_OF_A_PARAMETES", nil), ("XONG_NAME_OF_A_PARAMETER", nil),
        ] as [(String, String?)])
    func finds(_ name: String, _ value: String?) throws {
        let pairs = [
            ("AB", "2"), ("A", "1"), ("ABC", "3"), ("A", "9"), ("LONG_NAME_OF_A_PARAMETER", "4"), ("", "5"),
            ("EMPTY", ""),
        ]
        let parameters = try Self.parameters(pairs.flatMap { FastCGIWire.pair($0.0, $0.1) })
        #expect(Self.value(of: name, in: parameters) == value)
    }

    @Test("a name or value of any length is found", arguments: [0, 1, 127, 128, 300, 65535])
    func findsLong(_ length: Int) throws {
        let name = String(repeating: "n", count: length)
        let value = String(repeating: "v", count: length)
        let parameters = try Self.parameters(
            FastCGIWire.pair("A", "B") + FastCGIWire.pair(name, value) + FastCGIWire.pair("C", "D"))
        #expect(Self.value(of: name, in: parameters) == value)
        #expect(Self.value(of: "C", in: parameters) == "D")
    }

    @Test("nothing of one request is left for the next")
    func forgets() throws {
        var parameters = try Self.parameters(FastCGIWire.pair("A", "B"))
        parameters.removeAll()
        #expect(Self.value(of: "A", in: parameters) == nil)
        parameters.append(FastCGIWire.pair("C", "D")[...])
        let areWhole = parameters.findPairs()
        #expect(areWhole)
        #expect(Self.value(of: "A", in: parameters) == nil)
        #expect(Self.value(of: "C", in: parameters) == "D")
    }

    @Test(
        "the announced length is read if it is one",
        arguments: [
            ("0", 0), ("65536", 65536), ("0010", 10), ("", nil), ("-1", nil), ("+1", nil), ("1e3", nil), (" 1", nil),
            ("9223372036854775807", .max), ("9223372036854775808", .max), ("99999999999999999999999", .max),
        ] as [(String, Int?)])
    func readsContentLength(_ value: String, _ length: Int?) throws {
        let bytes = FastCGIWire.pair("CONTENT_TYPE__", "12") + FastCGIWire.pair("CONTENT_LENGTH", value)
        #expect(try Self.parameters(bytes).contentLength == length)
    }

    private static func parameters(_ bytes: [UInt8]) throws -> Parameters {
        var parameters = Parameters()
        parameters.append(bytes[...])
        let areWhole = parameters.findPairs()
        try #require(areWhole)
        return parameters
    }

    private static func value(of name: String, in parameters: Parameters) -> String? {
        parameters.range(of: name.utf8.span).map { String(decoding: parameters.bytes[$0], as: UTF8.self) }
    }
}
