import Glibc
import Testing

@testable import FastCGI
@testable import TestSupport

extension SocketTests {
    @Suite("FCGXRequest") struct FCGXRequestTests {
        private func answer(_ request: FCGXRequest, _ connection: DirectConnection, length: Int) throws
            -> [UInt8]
        {
            try #require(connection.begin(request))
            return request.readBody(length: length)
        }

        @Test("one object serves many requests over many connections")
        func reused() throws {
            let request = FCGXRequest()
            for _ in 0..<3 {
                let connection = try DirectConnection()
                for length in [0, 1, 8191, 8192, 8193, 65536] {
                    let body = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
                    connection.send(FastCGIWire.request(id: 259, body: body))
                    #expect(try answer(request, connection, length: length) == body)
                    #expect(request.keepsConnection && !request.hasReadAhead)
                    #expect(connection.end(request, with: Array("answer".utf8)))
                    let expected =
                        FastCGIWire.record(6, id: 259, Array("answer".utf8), padding: 2)
                        + FastCGIWire.record(6, id: 259)
                        + FastCGIWire.record(3, id: 259, [0, 0, 0, 0, 0, 0, 0, 0])
                    #expect(Self.withoutPadding(connection.received()) == Self.withoutPadding(expected))
                }
            }
        }

        /// The content of each record, with its type.
        private static func withoutPadding(_ bytes: [UInt8]) -> [[UInt8]] {
            var (records, walk) = ([[UInt8]](), RecordWalk())
            while let header = try? walk.next(in: bytes.span), walk.content.upperBound <= bytes.count {
                records.append([header.type.rawValue, UInt8(header.requestID & 255)] + bytes[walk.content])
            }
            return records
        }

        @Test(
            "bytes that were read beyond the request are reported", arguments: [0, 1, 7, 8, 500])
        func readAhead(_ count: Int) throws {
            let (request, connection) = (FCGXRequest(), try DirectConnection())
            connection.send(FastCGIWire.request(body: [1, 2]) + [UInt8](repeating: 1, count: count))
            #expect(try answer(request, connection, length: 2) == [1, 2])
            #expect(request.hasReadAhead == (count > 0))
            #expect(connection.end(request, with: []))
        }

        @Test("an unreadable request closes its connection, and the next request is served")
        func refused() throws {
            let request = FCGXRequest()
            for bytes in [FastCGIWire.record(1, [0, 1, 0], version: 9), [1, 1, 0], []] as [[UInt8]] {
                let connection = try DirectConnection()
                connection.send(bytes)
                #expect(!connection.begin(request))
            }
            let connection = try DirectConnection()
            connection.send(FastCGIWire.request(body: [7]))
            #expect(try answer(request, connection, length: 1) == [7])
            #expect(connection.end(request, with: []))
        }

        @Test("a partial write is reported")
        func full() throws {
            let (request, connection) = (FCGXRequest(), try DirectConnection())
            connection.send(FastCGIWire.request())
            _ = try answer(request, connection, length: 0)
            #expect(!connection.end(request, with: [UInt8](repeating: 65, count: 5_000_000)))
        }

        @Test("the signal handlers are unchanged", arguments: [SIGTERM, SIGUSR1])
        func signals(_ signal: Int32) {
            _ = FCGXRequest()
            var action = sigaction()
            sigaction(signal, nil, &action)
            #expect(action.__sigaction_handler.sa_handler == nil)
        }
    }
}
