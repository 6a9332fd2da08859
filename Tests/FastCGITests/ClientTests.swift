import Glibc
import POSIX
import Testing

@testable import FastCGI
@testable import FastCGIClient
@testable import TestSupport

extension SocketTests {
    @Suite("The client") struct ClientTests {
        @Test("gets an answer of any size that it wants to read", arguments: [0, 1, 8000, 70_000, 200_000])
        func sizes(_ count: Int) throws {
            let server = try TestServer(.tcp)
            let address = try SocketAddress(of: server.responder.listener.descriptor)
            let answer = try Client(path: "/large/\(count)").ask(address, until: .now + .seconds(20))
            #expect(answer.status == 200)
            #expect(answer.body.count == count)
        }

        @Test("reads no more than it wants to")
        func tooLong() throws {
            let server = try TestServer()
            let address = try SocketAddress(of: server.responder.listener.descriptor)
            #expect(throws: ClientFault.tooLong) {
                try Client(path: "/large/100000", longest: 50_000).ask(address, until: .now + .seconds(20))
            }
        }

        @Test("does not wait longer than it should")
        func late() throws {
            let server = try TestServer()
            let address = try SocketAddress(of: server.responder.listener.descriptor)
            #expect(throws: ClientFault.late) {
                try Client(path: "/sleep/3000").ask(address, until: .now + .milliseconds(200))
            }
        }

        @Test("does not wait either for a listener that accepts nobody")
        func fullQueue() throws {
            let path = TestServer.freshPath()
            let listener = try Listener.unix(path: path)
            let address = try SocketAddress(of: listener.descriptor)
            #expect(throws: ClientFault.late) { try Client(path: "/").ask(address, until: .now + .milliseconds(200)) }
            _ = listener.withdraw()
        }

        @Test("says that nobody is there")
        func nobody() throws {
            let address = try SocketAddress(path: TestServer.freshPath())
            let fault = #expect(throws: ClientFault.self) {
                try Client(path: "/").ask(address, until: .now + .seconds(5))
            }
            #expect(fault == .unreachable(POSIXError("connect", code: 2)))
        }

        @Test("says that it was turned away")
        func turnedAway() throws {
            var limits = Limits.quick
            limits.connections = 1
            let server = try TestServer(limits: limits)
            let guest = try server.connect()
            try guest.send(Array(FastCGIWire.request().prefix(20)))
            #expect(TestServer.eventually { server.responder.openConnections == 1 && !server.hasIdleConnection })
            let address = try SocketAddress(of: server.responder.listener.descriptor)
            #expect(throws: ClientFault.turnedAway) { try Client(path: "/").ask(address, until: .now + .seconds(5)) }
        }

        private static let answer =
            FastCGIWire.record(6, Array("Status: 503 No\r\nX: y\r\n".utf8), padding: 3)
            + FastCGIWire.record(7, Array("noise".utf8))
            + FastCGIWire.record(6, Array("\r\nbody".utf8), padding: 255)
            + FastCGIWire.record(6) + FastCGIWire.record(3, [0, 0, 0, 0, 0, 0, 0, 0])

        @Test("takes an answer of several records, and no other stream's")
        func records() throws {
            let answer = try ClientAnswer(readingRecords: Self.answer, longest: 100)
            #expect(answer == ClientAnswer(status: 503, body: Array("body".utf8)))
        }

        @Test("takes an answer in whatever pieces it comes", arguments: [1, 3, 8, 1000])
        func pieces(_ size: Int) throws {
            let pair = try SocketPair()
            let sender = try Thread.spawn(name: "sender") { [far = pair.far.number] in
                for start in stride(from: 0, to: Self.answer.count, by: size) {
                    let end = min(Self.answer.count, start + size)
                    // The socket does not block, and takes few tiny pieces before they are read.
                    while (try? FastCGIPeer.send(Array(Self.answer[start..<end]), to: far)) == nil { pauseBriefly() }
                }
                shutdown(far, Int32(SHUT_WR))
            }
            let answer = try Client(path: "/").ask(over: pair.near, until: .now + .seconds(20))
            sender.join()
            #expect(answer == ClientAnswer(status: 503, body: Array("body".utf8)))
        }

        @Test("takes no answer that was cut off")
        func cut() {
            for cut in 1..<Self.answer.count {
                #expect(throws: ClientFault.brokenOff, "cut at \(cut)") {
                    try ClientAnswer(readingRecords: Array(Self.answer.prefix(cut)), longest: 100)
                }
            }
            #expect(throws: ClientFault.turnedAway) { try ClientAnswer(readingRecords: [], longest: 100) }
        }

        @Test(
            "takes nothing that is no answer",
            arguments: [
                Array("HTTP/1.1 400 Bad Request".utf8),
                FastCGIWire.stream(6, Array("no end".utf8))
                    + FastCGIWire.record(3, [0, 0, 0, 0, 0, 0, 0, 0]),
                FastCGIWire.stream(6, Array("Status: x\r\n\r\n".utf8))
                    + FastCGIWire.record(3, [0, 0, 0, 0, 0, 0, 0, 0]),
            ])
        func malformed(_ bytes: [UInt8]) {
            #expect(throws: ClientFault.malformed) {
                try ClientAnswer(readingRecords: bytes, longest: 100)
            }
        }

        @Test("an answer may fill its limit and not pass it", arguments: [(100, true), (101, false)])
        func longest(_ count: Int, _ fits: Bool) {
            let content = Array("Status: 200\r\n\r\n".utf8) + [UInt8](repeating: 65, count: count - 15)
            let bytes =
                FastCGIWire.stream(6, content, size: 30) + FastCGIWire.record(3, [0, 0, 0, 0, 0, 0, 0, 0])
            let answer = Result { () throws(ClientFault) in
                try ClientAnswer(readingRecords: bytes, longest: 100)
            }
            #expect((try? answer.get())?.body.count == (fits ? count - 15 : nil))
        }
    }
}
