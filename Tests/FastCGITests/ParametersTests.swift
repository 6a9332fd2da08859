import POSIX
import Testing

@testable import FastCGI
@testable import TestSupport

extension SocketTests {
    @Suite struct ParametersTests {
        @Test(
            "a parameter is found by its whole name, and of several the first",
            arguments: [
                ("A", "1"), ("AB", "2"), ("ABC", "3"), ("LONG_NAME_OF_A_PARAMETER", "4"), ("", "5"),
                ("EMPTY", ""),
                ("B", nil), ("ABCD", nil), ("a", nil), ("LONG_NAME_OF_A_PARAMETES", nil),
                ("XONG_NAME_OF_A_PARAMETER", nil), ("1", nil), ("=", nil), ("A=", nil),
            ] as [(String, String?)])
        func finds(_ name: String, _ value: String?) throws {
            let pairs = [
                ("AB", "2"), ("A", "1"), ("ABC", "3"), ("A", "9"), ("LONG_NAME_OF_A_PARAMETER", "4"),
                ("", "5"),
                ("EMPTY", ""),
            ]
            #expect(Self.value(of: name, in: try Self.parameters(pairs)) == value)
        }

        @Test(
            "a name or value of any length is found", arguments: [0, 1, 127, 128, 300, 8191, 8192, 65535])
        func findsLong(_ length: Int) throws {
            let name = String(repeating: "n", count: length)
            let value = String(repeating: "v", count: length)
            let parameters = try Self.parameters([("A", "B"), (name, value), ("C", "D")])
            #expect(Self.value(of: name, in: parameters) == value)
            #expect(Self.value(of: "C", in: parameters) == "D")
        }

        @Test("a value may have any byte but NUL", arguments: ["a=b", "=", "\n", "ä", "\u{1}\u{7F}"])
        func anyBytes(_ value: String) throws {
            let parameters = try Self.parameters([("A", value), ("B", "C")])
            #expect(Self.value(of: "A", in: parameters) == value)
            #expect(Self.value(of: "B", in: parameters) == "C")
        }

        @Test("a request without parameters has none")
        func none() throws {
            #expect(Self.value(of: "", in: try Self.parameters([])) == nil)
        }

        @Test("nothing of one request is left for the next")
        func forgets() throws {
            var parameters = Parameters()
            let request = FCGXRequest()
            try Self.read(
                [("A", "B"), ("LONG", String(repeating: "v", count: 500))], into: &parameters, request)
            #expect(Self.value(of: "A", in: parameters) == "B")
            try Self.read([("C", "D")], into: &parameters, request)
            #expect(Self.value(of: "A", in: parameters) == nil)
            #expect(Self.value(of: "LONG", in: parameters) == nil)
            #expect(Self.value(of: "C", in: parameters) == "D")
        }

        private static func parameters(_ pairs: [(String, String)]) throws -> Parameters {
            var parameters = Parameters()
            try read(pairs, into: &parameters, FCGXRequest())
            return parameters
        }

        private static func read(
            _ pairs: [(String, String)], into parameters: inout Parameters, _ request: FCGXRequest
        ) throws {
            let connection = try DirectConnection()
            let stream = FastCGIWire.stream(4, pairs.flatMap { FastCGIWire.pair($0.0, $0.1) })
            connection.send(FastCGIWire.begin() + stream + FastCGIWire.stream(5, []))
            try #require(connection.begin(request))
            parameters.read(from: request)
            _ = request.readBody(length: 0)
            #expect(connection.end(request, with: []))
        }

        private static func value(of name: String, in parameters: Parameters) -> String? {
            parameters[name].map { String(decoding: $0, as: UTF8.self) }
        }
    }
}
