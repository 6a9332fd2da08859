import FastCGI
import POSIX
import Synchronization
import Testing

@testable import TestSupport

extension SocketTests {
    @Suite struct ServingTests {
        @Test("a request is answered, and the next one on the same connection", arguments: TestServer.Kind.allCases)
        func answers(_ kind: TestServer.Kind) throws {
            let server = try TestServer(kind)
            let peer = try server.connect()
            for body in ["", "a", "hello"] {
                let answer = try peer.exchange(FastCGIWire.request(id: 7, body: Array(body.utf8)))
                #expect(answer.text == TestServer.expected("/echo:" + body))
                #expect(answer.id == 7)
                #expect(answer.protocolStatus == 0)
            }
        }

        @Test("the connection ends after the answer unless it is to be kept", arguments: TestServer.Kind.allCases)
        func closes(_ kind: TestServer.Kind) throws {
            let server = try TestServer(kind)
            let peer = try server.connect()
            #expect(try peer.exchange(FastCGIWire.request(keep: false)).text == TestServer.expected("/echo:"))
            let start = MonotonicTime.now
            #expect(try peer.isEnded())
            #expect(MonotonicTime.now < start + .seconds(1))
            #expect(TestServer.eventually { server.responder.openConnections == 0 })
        }

        @Test("a request cut in two anywhere is answered", arguments: TestServer.Kind.allCases)
        func cutAnywhere(_ kind: TestServer.Kind) throws {
            let server = try TestServer(kind)
            let peer = try server.connect()
            let request = FastCGIWire.request(body: Array("some body".utf8), padding: 3)
            for cut in 1..<request.count {
                try peer.send(Array(request[..<cut]))
                pauseBriefly()
                let answer = try peer.exchange(Array(request[cut...]))
                #expect(answer.text == TestServer.expected("/echo:some body"), "cut at \(cut)")
            }
        }

        @Test("one byte in each record, with padding and without", arguments: [0, 1, 7, 255])
        func oneByteRecords(_ padding: Int) throws {
            let server = try TestServer()
            let peer = try server.connect()
            let request = FastCGIWire.request(body: Array("piece by piece".utf8), recordSize: 1, padding: padding)
            #expect(try peer.exchange(request + request).text == TestServer.expected("/echo:piece by piece"))
            #expect(try peer.answer().text == TestServer.expected("/echo:piece by piece"))
        }

        @Test("one byte at a time", arguments: TestServer.Kind.allCases)
        func oneByteSends(_ kind: TestServer.Kind) throws {
            let server = try TestServer(kind)
            let peer = try server.connect()
            for byte in FastCGIWire.request(body: [65, 66], keep: false) { try peer.send([byte]) }
            #expect(try peer.answer().text == TestServer.expected("/echo:AB"))
        }

        @Test("requests one behind the other are answered in their order")
        func pipelined() throws {
            let server = try TestServer()
            let peer = try server.connect()
            let requests = (1...300).flatMap { FastCGIWire.request("/\($0)", id: $0) }
            for cut in [requests.count, 1000, 16384, 16385] {
                for start in stride(from: 0, to: requests.count, by: cut) {
                    try peer.send(Array(requests[start..<min(start + cut, requests.count)]))
                }
                for number in 1...300 {
                    let answer = try peer.answer()
                    #expect(answer.id == number)
                    #expect(answer.text == TestServer.expected("/\(number):"))
                }
            }
        }

        @Test("parameters of all lengths arrive", arguments: [0, 1, 127, 128, 5000, 32000])
        func parameters(_ length: Int) throws {
            let server = try TestServer()
            let peer = try server.connect()
            let value = String(repeating: "ä", count: length / 2) + (length % 2 == 1 ? "o" : "")
            let request = FastCGIWire.request(
                "/value/NAME", parameters: [("NAMES", "no"), ("NAME", value), ("NAME", "second")])
            #expect(try peer.exchange(request).text == TestServer.expected(value))
            #expect(try peer.exchange(FastCGIWire.request("/value/NAME")).text == TestServer.expected("none"))
        }

        @Test("bodies of all lengths up to the limit arrive", arguments: [8191, 8192, 16384, 65535, 65536])
        func bodies(_ length: Int) throws {
            let server = try TestServer()
            let peer = try server.connect()
            let body = (0..<length).map { UInt8(65 + $0 % 26) }
            for size in [65535, 1000] {
                let answer = try peer.exchange(FastCGIWire.request(body: body, recordSize: size))
                #expect(answer.text == TestServer.expected("/echo:" + String(decoding: body, as: UTF8.self)))
            }
        }

        @Test(
            "answers of all lengths arrive", arguments: TestServer.Kind.allCases,
            [0, 7900, 7999, 8000, 8192, 65536, 1 << 20])
        func answersOfAllLengths(_ kind: TestServer.Kind, _ length: Int) throws {
            let server = try TestServer(kind)
            let peer = try server.connect()
            for keep in [true, false] {
                let answer = try peer.exchange(FastCGIWire.request("/large/\(length)", keep: keep))
                #expect(answer.byteCount == length + TestServer.expected("").utf8.count)
                #expect(answer.text.hasSuffix(String(repeating: "x", count: length)))
            }
            #expect(try peer.isEnded())
        }

        @Test("an answer too large for the socket holds back the requests behind it, and loses none of them")
        func largeAnswersPipelined() throws {
            let server = try TestServer()
            let peer = try server.connect()
            let requests = (1...20).flatMap { FastCGIWire.request($0 % 2 == 0 ? "/large/400000" : "/small", id: $0) }
            try peer.send(requests)
            pauseBriefly()
            for number in 1...20 {
                let answer = try peer.answer()
                #expect(answer.id == number)
                #expect((answer.byteCount > 400_000) == (number % 2 == 0))
            }
        }

        @Test("many fronts at once are all answered", arguments: TestServer.Kind.allCases)
        func many(_ kind: TestServer.Kind) throws {
            let server = try TestServer(kind, workers: 4)
            let threads = try (0..<8).map { thread in
                try Thread.spawn(name: "front") {
                    for round in 0..<50 {
                        guard let peer = try? server.connect() else {
                            Issue.record("no connection")
                            return
                        }
                        for keep in [true, true, false] {
                            let body = "\(thread)/\(round)/\(keep)"
                            let answer = try? peer.exchange(FastCGIWire.request(body: Array(body.utf8), keep: keep))
                            #expect(answer?.text == TestServer.expected("/echo:" + body))
                        }
                    }
                }
            }
            for thread in threads { thread.join() }
            #expect(TestServer.eventually { server.responder.openConnections == 0 })
            #expect(server.faults.isEmpty)
        }

        /// None of them could go on if it kept its place: they wait for one another.
        @Test("as many requests as there are workers are under way at once, where each says that it waits")
        func waitingHandlers() throws {
            let arrived = Monitor(0)
            let handler: Responder.Handler = { _, answer in
                arrived.change { $0 += 1 }
                arrived.wait { count -> Void? in count == Self.crowd ? () : nil }
                answer += TestServer.text(200, "all here")
            }
            var limits = Limits.quick
            limits.unattendedFor = .seconds(60)
            try expectAll("all here", of: handler, limits)
        }

        @Test("as many requests as there are workers are under way at once, where none says that it waits")
        func heldUpHandlers() throws {
            let arrived = Atomic(0)
            let handler: Responder.Handler = { _, answer in
                arrived.add(1, ordering: .relaxed)
                let all = TestServer.eventually { arrived.load(ordering: .relaxed) == Self.crowd }
                answer += TestServer.text(200, all ? "all here" : "alone")
            }
            try expectAll("all here", of: handler, .quick)
        }

        /// More than processors, on any machine.
        private static let crowd = Processors.usable + 6

        private func expectAll(_ body: String, of handler: @escaping Responder.Handler, _ limits: Limits) throws {
            let server = try TestServer(workers: Self.crowd, limits: limits, handler: handler)
            let peers = try (0..<Self.crowd).map { _ in try server.connect() }
            for peer in peers { try peer.send(FastCGIWire.request()) }
            for peer in peers { #expect(try peer.answer().text == TestServer.expected(body)) }
        }
    }
}
