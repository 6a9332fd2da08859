import FastCGI
import POSIX
import Testing

@testable import TestSupport

extension SocketTests {
    /// libfcgi reads 8 KiB at a time, and loses what it has read of the next request. nginx sends none
    /// before it has the answer.
    @Suite struct PipeliningTests {
        @Test(
            "the first of several pipelined requests is answered, and then the connection ends",
            arguments: TestResponder.Kind.allCases, ["/echo", "/large/8000", "/large/400000"])
        func first(_ kind: TestResponder.Kind, _ uri: String) throws {
            let server = try TestResponder(kind)
            for count in [2, 3, 20] {
                let peer = try server.connect()
                try peer.send((1...count).flatMap { FastCGIWire.request($0 == 1 ? uri : "/other", id: $0) })
                let answer = try peer.answer()
                #expect(answer.id == 1)
                #expect(answer.text.hasPrefix(TestResponder.expected(uri == "/echo" ? "/echo:" : "xxxx")))
                #expect(try peer.isEnded())
            }
            #expect(Eventually.holds { server.responder.openConnections == 0 })
            #expect(server.faults.isEmpty)
        }

        @Test("a next request that libfcgi has not yet read is served", arguments: [8192, 16384, 65536])
        func unread(_ size: Int) throws {
            let server = try TestResponder()
            let peer = try server.connect()
            let first = ServingTests.request(ofSize: size, inBody: true, id: 1)
            try peer.send(first + FastCGIWire.request(id: 2, body: [66]))
            #expect(try peer.answer().text == TestResponder.expected(String(first.count { $0 == 65 })))
            let answer = try peer.answer()
            #expect(answer.id == 2)
            #expect(answer.text == TestResponder.expected("/echo:B"))
            #expect(try peer.exchange(FastCGIWire.request(id: 3)).id == 3)
        }

        @Test("a peer that keeps sending while it reads gets the complete first response")
        func goesOnSending() throws {
            let server = try TestResponder(workers: 1)
            let peer = try server.connect()
            let requests = (0..<2000).flatMap { FastCGIWire.request("/large/4000", id: $0 + 1) }
            let descriptor = peer.descriptor
            let sender = try Thread.spawn(name: "sender") {
                try? FastCGIPeer.send(requests, to: descriptor)
            }
            #expect(try server.connect().exchange(FastCGIWire.request()).protocolStatus == 0)
            let answer = try peer.answer()
            #expect(answer.id == 1)
            #expect(answer.text.hasSuffix(String(repeating: "x", count: 4000)))
            #expect(try peer.isEnded())
            sender.join()
        }
    }
}
