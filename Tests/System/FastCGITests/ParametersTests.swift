import Glibc
import POSIX
import Synchronization
import Testing

@testable import FastCGI
@testable import TestSupport

extension SocketTests {
    @Suite struct ParametersTests {
        @Test(
            "a parameter is found by its exact name; of several, the first",
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
            try Self.read(pairs) { #expect(Self.value(of: name, in: $0) == value) }
        }

        @Test(
            "a name or value of any length is found", arguments: [0, 1, 127, 128, 300, 8191, 8192, 65535])
        func findsLong(_ length: Int) throws {
            let name = String(repeating: "n", count: length)
            let value = String(repeating: "v", count: length)
            try Self.read([("A", "B"), (name, value), ("C", "D")]) { parameters in
                #expect(Self.value(of: name, in: parameters) == value)
                #expect(Self.value(of: "C", in: parameters) == "D")
            }
        }

        @Test("a value may contain any byte except NUL", arguments: ["a=b", "=", "\n", "ä", "\u{1}\u{7F}"])
        func anyBytes(_ value: String) throws {
            try Self.read([("A", value), ("B", "C")]) { parameters in
                #expect(Self.value(of: "A", in: parameters) == value)
                #expect(Self.value(of: "B", in: parameters) == "C")
            }
        }

        @Test("the parameters of a request are not visible after it has ended")
        func forgets() throws {
            let request = FCGXRequest()
            let long = String(repeating: "v", count: 500)
            try Self.read([("A", "B"), ("LONG", long)], by: request) { parameters in
                #expect(Self.value(of: "A", in: parameters) == "B")
            }
            #expect(Self.value(of: "A", in: Parameters(request: request)) == nil)
            try Self.read([("C", "D")], by: request) { parameters in
                #expect(Self.value(of: "A", in: parameters) == nil)
                #expect(Self.value(of: "LONG", in: parameters) == nil)
                #expect(Self.value(of: "C", in: parameters) == "D")
            }
        }

        private static func read(
            _ pairs: [(String, String)], by request: FCGXRequest = FCGXRequest(),
            _ body: (Parameters) throws -> Void
        ) throws {
            let connection = try DirectConnection()
            let stream = FastCGIWire.stream(4, pairs.flatMap { FastCGIWire.pair($0.0, $0.1) })
            connection.send(FastCGIWire.begin() + stream + FastCGIWire.stream(5, []))
            try #require(connection.begin(request))
            try body(Parameters(request: request))
            _ = request.readBody(length: 0)
            #expect(connection.end(request, with: []))
        }

        private static func value(of name: String, in parameters: Parameters) -> String? {
            parameters[name].map { String(decoding: $0, as: UTF8.self) }
        }
    }
}

extension SocketTests {
    @Suite struct PeerTests {
        @Test("the user of a process at a unix socket is known, for each request of a connection")
        func user() throws {
            let users = Mutex<[UInt32?]>([])
            let responder = try TestResponder(handler: { request, answer in
                users.withLock { $0.append(request.peer.user) }
                answer += Array("Status: 204 No Content\r\n\r\n".utf8)
            })
            let peer = try FastCGIPeer(responder.address)
            // The last one arrives in parts, and is read from a copy.
            for size in [65_535, 65_535, 7] { _ = try peer.exchange(FastCGIWire.request(recordSize: size)) }
            #expect(users.withLock { $0 } == [geteuid(), geteuid(), geteuid()])
        }

        @Test("over TCP no user is known")
        func tcp() throws {
            let users = Mutex<[UInt32?]>([])
            let responder = try TestResponder(
                .tcp,
                handler: { request, answer in
                    users.withLock { $0.append(request.peer.user) }
                    answer += Array("Status: 204 No Content\r\n\r\n".utf8)
                })
            _ = try FastCGIPeer(responder.address).exchange(FastCGIWire.request())
            #expect(users.withLock { $0 } == [nil])
        }
    }
}
