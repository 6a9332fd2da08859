import FastCGI
import Glibc
import POSIX
import Testing

@testable import TestSupport

extension SocketTests {
    @Suite struct ProtocolTests {
        @Test("values are told, and the connection goes on")
        func getValues() throws {
            let server = try TestServer()
            let peer = try server.connect()
            try peer.send(
                FastCGIWire.record(
                    9, id: 0, FastCGIWire.pair("FCGI_MAX_CONNS", "") + FastCGIWire.pair("FCGI_MPXS_CONNS", "")))
            let content = FastCGIWire.pair("FCGI_MAX_CONNS", "4096") + FastCGIWire.pair("FCGI_MPXS_CONNS", "0")
            #expect(try peer.record() == FastCGIPeer.Record(type: 10, id: 0, content: content))
            #expect(try peer.exchange(FastCGIWire.request()).protocolStatus == 0)
        }

        @Test("an unknown record type is named, and the connection goes on")
        func unknownType() throws {
            let server = try TestServer()
            let peer = try server.connect()
            try peer.send(FastCGIWire.record(55, id: 0, [1, 2, 3]) + FastCGIWire.request())
            #expect(try peer.record() == FastCGIPeer.Record(type: 11, id: 0, content: [55, 0, 0, 0, 0, 0, 0, 0]))
            #expect(try peer.answer().protocolStatus == 0)
        }

        @Test("another role than a responder's is turned down", arguments: [2, 3] as [UInt8])
        func role(_ role: UInt8) throws {
            let server = try TestServer()
            let kept = try server.connect()
            let rest = FastCGIWire.stream(4, []) + FastCGIWire.stream(5, [])
            #expect(try kept.exchange(FastCGIWire.begin(role: role) + rest).protocolStatus == 3)
            #expect(try kept.exchange(FastCGIWire.request()).protocolStatus == 0)
            let other = try server.connect()
            #expect(try other.exchange(FastCGIWire.begin(role: role, keep: false) + rest).protocolStatus == 3)
            #expect(try other.isEnded())
        }

        @Test("a second request on a busy connection is turned down, the first one answered")
        func multiplexing() throws {
            let server = try TestServer()
            let peer = try server.connect()
            let first = FastCGIWire.request(id: 1, body: [65])
            try peer.send(Array(first[..<30]))
            pauseBriefly()
            try peer.send(Array(first[30..<first.count - 9]))
            let last = Array(first.suffix(9))
            try peer.send(Array(last[..<1]))
            try peer.send(FastCGIWire.request(id: 2))
            let turnedDown = try peer.answer()
            #expect(turnedDown.id == 2)
            #expect(turnedDown.protocolStatus == 1)
            try peer.send(Array(last[1...]))
            let answer = try peer.answer()
            #expect(answer.id == 1)
            #expect(answer.text == TestServer.expected("/echo:A"))
        }

        @Test("an aborted request is ended, and the connection goes on")
        func abort() throws {
            let server = try TestServer()
            let peer = try server.connect()
            try peer.send(FastCGIWire.begin(id: 4) + FastCGIWire.record(4, id: 4, FastCGIWire.pair("A", "B")))
            pauseBriefly()
            let ended = try peer.exchange(FastCGIWire.record(2, id: 4))
            #expect(ended == FastCGIPeer.Answer(text: "", id: 4, protocolStatus: 0, byteCount: 0))
            #expect(try peer.exchange(FastCGIWire.request()).text == TestServer.expected("/echo:"))
        }

        @Test(
            "what cannot be a request ends the connection and nothing else",
            arguments: [
                [2, 1, 0, 1, 0, 0, 0, 0],
                Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8),
                FastCGIWire.begin() + FastCGIWire.record(4, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 65])
                    + FastCGIWire.record(4),
                FastCGIWire.begin()
                    + FastCGIWire.record(4, [0xFF, 0xFF, 0xFF, 0xF0, 0] + [UInt8](repeating: 65, count: 100))
                    + FastCGIWire.record(4),
                FastCGIWire.begin()
                    + FastCGIWire.stream(4, FastCGIWire.pair("A", String(repeating: "v", count: 33000))),
                FastCGIWire.begin() + FastCGIWire.record(5),
            ] as [[UInt8]])
        func refused(_ bytes: [UInt8]) throws {
            let server = try TestServer()
            let bystander = try server.connect()
            let peer = try server.connect()
            try peer.send(bytes)
            #expect(try peer.isEnded())
            #expect(try bystander.exchange(FastCGIWire.request()).protocolStatus == 0)
            #expect(server.faults.count == 1)
        }

        @Test(
            "a body over the limit is answered, and the answer can be read", arguments: TestServer.Kind.allCases,
            [65537, 2_000_000])
        func bodyTooLarge(_ kind: TestServer.Kind, _ length: Int) throws {
            let server = try TestServer(kind)
            let peer = try server.connect()
            // All of it is sent before anything is read, as a front does that does not expect an early answer.
            let answer = try peer.exchange(FastCGIWire.request(body: [UInt8](repeating: 65, count: length)))
            #expect(answer.text == TestServer.expected("too large", status: 413))
            let start = MonotonicTime.now
            #expect(try peer.isEnded())
            #expect(MonotonicTime.now < start + .seconds(1), "the end of the answer is told at once")
            shutdown(peer.descriptor, Int32(SHUT_WR))
            #expect(TestServer.eventually { server.responder.openConnections == 0 })
        }

        @Test("a body over the limit that was not announced is answered as well")
        func bodyTooLargeUnannounced() throws {
            let server = try TestServer()
            let peer = try server.connect()
            let start = FastCGIWire.begin() + FastCGIWire.stream(4, FastCGIWire.pair("DOCUMENT_URI", "/echo"))
            let answer = try peer.exchange(
                start + FastCGIWire.stream(5, [UInt8](repeating: 65, count: 65537), size: 1000))
            #expect(answer.text == TestServer.expected("too large", status: 413))
        }

        @Test("an announced body over the limit is not waited for, nor its sender")
        func bodyTooLargeAnnounced() throws {
            var limits = Limits.quick
            limits.lingerFor = .milliseconds(200)
            let server = try TestServer(workers: 1, limits: limits)
            let peer = try server.connect()
            let announced = FastCGIWire.pair("CONTENT_LENGTH", "99999999")
            #expect(
                try peer.exchange(FastCGIWire.begin() + FastCGIWire.stream(4, announced)).text
                    == TestServer.expected("too large", status: 413))
            #expect(try server.connect().exchange(FastCGIWire.request()).protocolStatus == 0)
            #expect(TestServer.eventually { server.responder.openConnections == 0 })
            #expect(server.faults.isEmpty)
        }
    }
}
