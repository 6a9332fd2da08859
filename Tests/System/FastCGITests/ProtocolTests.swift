import FastCGI
import Glibc
import POSIX
import Testing

@testable import TestSupport

extension SocketTests {
    @Suite struct ProtocolTests {
        private static let parameters = FastCGIWire.stream(4, FastCGIWire.pair("A", "B"))
        private static let query = FastCGIWire.record(
            9, id: 0, FastCGIWire.pair("FCGI_MAX_CONNS", "") + FastCGIWire.pair("FCGI_MPXS_CONNS", ""))

        @Test(
            "input that libfcgi handles incorrectly only closes its connection: one of each kind that is refused",
            arguments: [
                ("a query of values", query),
                ("a second request's beginning", FastCGIWire.begin() + FastCGIWire.begin(id: 2)),
                ("an abort within the body", FastCGIWire.begin() + parameters + FastCGIWire.record(2)),
                ("HTTP", Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)),
                (
                    "a pair too long for malloc",
                    FastCGIWire.begin() + FastCGIWire.stream(4, [UInt8](repeating: 0xFF, count: 8) + [65])
                ),
                (
                    "too many parameters",
                    FastCGIWire.begin()
                        + FastCGIWire.stream(4, FastCGIWire.pair("A", String(repeating: "v", count: 65532)))
                ),
            ] as [(String, [UInt8])])
        func refused(_ what: String, _ bytes: [UInt8]) throws {
            let server = try TestResponder()
            let bystander = try server.connect()
            _ = try bystander.exchange(FastCGIWire.request())
            // On a new connection and on one that was served before, at once and byte by byte.
            for isNew in [true, false] {
                let before = server.faults.count
                let peer = try server.connect()
                if !isNew { _ = try peer.exchange(FastCGIWire.request()) }
                if bytes.count > 200 {
                    try peer.send(bytes)
                } else {
                    for byte in bytes { try? peer.send([byte]) }
                }
                #expect(try peer.isEnded(), "\(what)")
                #expect(server.faults.count == before + 1)
                guard case .refused = server.faults.last else {
                    Issue.record("\(server.faults)")
                    continue
                }
            }
            #expect(try bystander.exchange(FastCGIWire.request()).protocolStatus == 0)
            #expect(Eventually.holds { server.responder.openConnections == 1 })
        }

        @Test(
            "parameters that reach the limit are served, one byte more is rejected",
            arguments: [65536, 65537])
        func parametersLimit(_ length: Int) throws {
            let server = try TestResponder()
            let peer = try server.connect()
            let content = FastCGIWire.pair("A", String(repeating: "v", count: length - 6))
            #expect(content.count == length)
            try peer.send(
                FastCGIWire.begin() + FastCGIWire.stream(4, content) + FastCGIWire.stream(5, []))
            if length > 65536 {
                #expect(try peer.isEnded())
            } else {
                #expect(try peer.answer().protocolStatus == 0)
            }
        }

        @Test(
            "a body above the limit is answered when it ends, and the connection is kept if requested",
            arguments: TestResponder.Kind.allCases, [65537, 2_000_000])
        func bodyTooLarge(_ kind: TestResponder.Kind, _ length: Int) throws {
            let server = try TestResponder(kind)
            let peer = try server.connect()
            let body = [UInt8](repeating: 65, count: length)
            // The whole body is sent before the response is read, as by a web server that expects no early response.
            for keep in [true, true, false] {
                let answer = try peer.exchange(FastCGIWire.request(body: body, keep: keep))
                #expect(answer.text == TestResponder.expected("too large", status: 413))
                if keep { #expect(try peer.exchange(FastCGIWire.request()).text == TestResponder.expected("/echo:")) }
            }
            #expect(try peer.isEnded())
            #expect(server.faults.isEmpty)
        }

        @Test("an announced body above the limit is answered after a short wait")
        func bodyTooLargeAnnounced() throws {
            var limits = Limits.quick
            limits.lingerFor = .milliseconds(200)
            let server = try TestResponder(workers: 1, limits: limits)
            let peer = try server.connect()
            let announced = FastCGIWire.pair("CONTENT_LENGTH", "99999999")
            #expect(
                try peer.exchange(FastCGIWire.begin() + FastCGIWire.stream(4, announced)).text
                    == TestResponder.expected("too large", status: 413))
            #expect(try server.connect().exchange(FastCGIWire.request()).protocolStatus == 0)
            #expect(Eventually.holds { server.responder.openConnections == 0 })
            #expect(server.faults.isEmpty)
        }
    }
}
