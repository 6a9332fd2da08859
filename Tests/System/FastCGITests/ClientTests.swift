import Glibc
import POSIX
import Sockets
import Testing

@testable import FastCGI
@testable import TestSupport

extension SocketTests {
    @Suite("The client") struct ClientTests {
        @Test("reads a response of any size within its limit", arguments: [0, 1, 8000, 70_000, 200_000])
        func sizes(_ count: Int) throws {
            let server = try TestResponder(.tcp)
            let address = try SocketAddress(of: server.responder.listener.descriptor)
            let answer = try Client(path: "/large/\(count)").ask(address, until: .now + .seconds(20))
            #expect(answer.status == 200)
            #expect(answer.body.count == count)
        }

        @Test("rejects a response above its limit")
        func tooLong() throws {
            let server = try TestResponder()
            let address = try SocketAddress(of: server.responder.listener.descriptor)
            #expect(throws: ClientFault.tooLong) {
                try Client(path: "/large/100000", longest: 50_000).ask(address, until: .now + .seconds(20))
            }
        }

        @Test("stops waiting at the deadline")
        func late() throws {
            let server = try TestResponder()
            let address = try SocketAddress(of: server.responder.listener.descriptor)
            #expect(throws: ClientFault.late) {
                try Client(path: "/held").ask(address, until: .now + .milliseconds(200))
            }
            server.held.release()
        }

        @Test("stops waiting at the deadline if the listener accepts no connection")
        func fullQueue() throws {
            let path = TestResponder.freshPath()
            let listener = try Listener.unix(path: path)
            let address = try SocketAddress(of: listener.descriptor)
            #expect(throws: ClientFault.late) { try Client(path: "/").ask(address, until: .now + .milliseconds(200)) }
            _ = listener.withdraw()
        }

        @Test("reports that no process listens")
        func noListener() throws {
            let address = try SocketAddress(path: TestResponder.freshPath())
            let fault = #expect(throws: ClientFault.self) {
                try Client(path: "/").ask(address, until: .now + .seconds(5))
            }
            #expect(fault == .unreachable(POSIXError("connect", code: 2)))
        }

        @Test("reports a connection that was closed without a response")
        func closedWithoutResponse() throws {
            var limits = Limits.quick
            limits.connections = 1
            let server = try TestResponder(limits: limits)
            let other = try server.connect()
            try other.send(Array(FastCGIWire.request().prefix(20)))
            #expect(Eventually.holds { server.responder.openConnections == 1 && !server.hasIdleConnection })
            let address = try SocketAddress(of: server.responder.listener.descriptor)
            #expect(throws: ClientFault.closedWithoutResponse) {
                try Client(path: "/").ask(address, until: .now + .seconds(5))
            }
        }

        private static let answer =
            FastCGIWire.record(6, Array("Status: 503 No\r\nX: y\r\n".utf8), padding: 3)
            + FastCGIWire.record(7, Array("noise".utf8))
            + FastCGIWire.record(6, Array("\r\nbody".utf8), padding: 255)
            + FastCGIWire.record(6) + FastCGIWire.record(3, [0, 0, 0, 0, 0, 0, 0, 0])

        @Test("reads a response that arrives in parts of any size", arguments: [1, 3, 8, 1000])
        func pieces(_ size: Int) throws {
            let pair = try SocketPair()
            let sender = try Thread.spawn(name: "sender") { [far = pair.far.number] in
                for start in stride(from: 0, to: Self.answer.count, by: size) {
                    let end = min(Self.answer.count, start + size)
                    // The socket is non-blocking and holds few tiny writes.
                    while (try? FastCGIPeer.send(Array(Self.answer[start..<end]), to: far)) == nil {
                        var space = pollfd(fd: far, events: Int16(POLLOUT), revents: 0)
                        poll(&space, 1, 20_000)
                    }
                }
                shutdown(far, Int32(SHUT_WR))
            }
            let answer = try Client(path: "/").ask(over: pair.near, until: .now + .seconds(20))
            sender.join()
            #expect(answer == ClientResponse(status: 503, body: Array("body".utf8)))
        }

        @Test("rejects a truncated response")
        func cut() {
            for cut in 1..<Self.answer.count {
                #expect(throws: ClientFault.truncated, "cut at \(cut)") {
                    try ClientResponse(readingRecords: Array(Self.answer.prefix(cut)), longest: 100)
                }
            }
            #expect(throws: ClientFault.closedWithoutResponse) { try ClientResponse(readingRecords: [], longest: 100) }
        }

        @Test(
            "rejects malformed responses",
            arguments: [
                Array("HTTP/1.1 400 Bad Request".utf8),
                FastCGIWire.stream(6, Array("no end".utf8))
                    + FastCGIWire.record(3, [0, 0, 0, 0, 0, 0, 0, 0]),
                FastCGIWire.stream(6, Array("Status: x\r\n\r\n".utf8))
                    + FastCGIWire.record(3, [0, 0, 0, 0, 0, 0, 0, 0]),
            ])
        func malformed(_ bytes: [UInt8]) {
            #expect(throws: ClientFault.malformed) {
                try ClientResponse(readingRecords: bytes, longest: 100)
            }
        }

        @Test(
            "accepts a response that reaches the limit, and rejects a longer one",
            arguments: [(100, true), (101, false)])
        func longest(_ count: Int, _ fits: Bool) {
            let content = Array("Status: 200\r\n\r\n".utf8) + [UInt8](repeating: 65, count: count - 15)
            let bytes =
                FastCGIWire.stream(6, content, size: 30) + FastCGIWire.record(3, [0, 0, 0, 0, 0, 0, 0, 0])
            let answer = Result { () throws(ClientFault) in
                try ClientResponse(readingRecords: bytes, longest: 100)
            }
            #expect((try? answer.get())?.body.count == (fits ? count - 15 : nil))
        }
    }
}
