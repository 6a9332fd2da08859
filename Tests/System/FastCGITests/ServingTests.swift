import FastCGI
import POSIX
import Synchronization
import Testing

@testable import TestSupport

extension SocketTests {
    @Suite struct ServingTests {
        @Test(
            "the connection is closed after the response unless it is to be kept",
            arguments: TestResponder.Kind.allCases)
        func closes(_ kind: TestResponder.Kind) throws {
            let server = try TestResponder(kind)
            let peer = try server.connect()
            #expect(try peer.exchange(FastCGIWire.request(keep: false)).text == TestResponder.expected("/echo:"))
            let start = MonotonicTime.now
            #expect(try peer.isEnded())
            #expect(MonotonicTime.now < start + Limits.quick.incompleteFor)
            #expect(Eventually.holds { server.responder.openConnections == 0 })
        }

        @Test("a request that arrives in two parts is answered", arguments: TestResponder.Kind.allCases)
        func cutAnywhere(_ kind: TestResponder.Kind) throws {
            let server = try TestResponder(kind)
            let peer = try server.connect()
            let request = FastCGIWire.request(body: Array("some body".utf8), padding: 3)
            for cut in 1..<request.count {
                try #require(Eventually.holds(every: 0.0005) { server.hasIdleConnection })
                try peer.send(Array(request[..<cut]))
                try #require(Eventually.holds(every: 0.0005) { !server.hasIdleConnection }, "the part has arrived")
                let answer = try peer.exchange(Array(request[cut...]))
                #expect(answer.text == TestResponder.expected("/echo:some body"), "cut at \(cut)")
            }
        }

        @Test("a request with one byte in each record is answered", arguments: [0, 1, 7, 255])
        func oneByteRecords(_ padding: Int) throws {
            let server = try TestResponder()
            let peer = try server.connect()
            let request = FastCGIWire.request(
                body: Array("piece by piece".utf8), recordSize: 1, padding: padding)
            #expect(try peer.exchange(request).text == TestResponder.expected("/echo:piece by piece"))
        }

        /// libfcgi interprets padding after a begin record or after the end of the parameters as a record. So this
        /// padding is a record: the end of the body.
        @Test(
            "padding is not interpreted as a record", arguments: [(8, 0), (0, 8), (8, 8), (1, 0), (0, 1), (255, 255)])
        func paddingIsNoRecord(_ afterBegin: Int, _ afterParameters: Int) throws {
            let server = try TestResponder()
            let uri = FastCGIWire.pair("DOCUMENT_URI", "/echo")
            func padded(_ record: [UInt8], _ padding: Int, _ content: [UInt8]) -> [UInt8] {
                var record = record
                record[6] = UInt8(padding)
                return record + (0..<padding).map { content[$0 % content.count] }
            }
            let begin = padded(FastCGIWire.begin(), afterBegin, FastCGIWire.record(4))
            let end = padded(FastCGIWire.record(4), afterParameters, FastCGIWire.record(5))
            for body in [FastCGIWire.stream(5, [65, 66]), FastCGIWire.stream(5, [65, 66], size: 1, padding: 9)] {
                let peer = try server.connect()
                try peer.send(begin + FastCGIWire.record(4, uri) + end + body)
                // A wrong response is an error, a closed connection is not.
                if let answer = try? peer.answer() { #expect(answer.text == TestResponder.expected("/echo:AB")) }
            }
            #expect(try server.connect().exchange(FastCGIWire.request()).protocolStatus == 0)
        }

        @Test(
            "a request that ends with padding is answered, and its connection is closed", arguments: [1, 7, 8, 24, 255])
        func paddedLast(_ padding: Int) throws {
            let server = try TestResponder()
            let start = FastCGIWire.begin() + FastCGIWire.stream(4, FastCGIWire.pair("DOCUMENT_URI", "/echo"))
            let request = start + FastCGIWire.stream(5, [65, 66], endPadding: padding)
            let peer = try server.connect()
            #expect(try peer.exchange(request).text == TestResponder.expected("/echo:AB"))
            #expect(try peer.isEnded(), "libfcgi does not read the padding, so the connection cannot be kept")
        }

        @Test(
            "bodies of all lengths up to the limit are received", arguments: TestResponder.Kind.allCases,
            [8191, 8192, 16384, 65535, 65536])
        func bodies(_ kind: TestResponder.Kind, _ length: Int) throws {
            let server = try TestResponder(kind)
            let peer = try server.connect()
            let body = (0..<length).map { UInt8(65 + $0 % 26) }
            for size in [65535, 1000] {
                let answer = try peer.exchange(FastCGIWire.request(body: body, recordSize: size))
                #expect(answer.text == TestResponder.expected("/echo:" + String(decoding: body, as: UTF8.self)))
            }
        }

        @Test(
            "responses of all lengths are sent", arguments: TestResponder.Kind.allCases,
            [0, 7900, 7999, 8000, 8192, 32726, 32727, 32728, 65536, 1 << 20])
        func answersOfAllLengths(_ kind: TestResponder.Kind, _ length: Int) throws {
            let server = try TestResponder(kind)
            let peer = try server.connect()
            for keep in [true, false] {
                let answer = try peer.exchange(FastCGIWire.request("/large/\(length)", keep: keep))
                #expect(answer.byteCount == length + TestResponder.expected("").utf8.count)
                #expect(answer.text.hasSuffix(String(repeating: "x", count: length)))
            }
            #expect(try peer.isEnded())
        }

        /// libfcgi reads 8 KiB at a time.
        @Test(
            "a request may end anywhere in libfcgi's buffer", arguments: TestResponder.Kind.allCases,
            [8191, 8192, 8193, 16383, 16384, 16385])
        func bufferEdges(_ kind: TestResponder.Kind, _ size: Int) throws {
            let server = try TestResponder(kind)
            let peer = try server.connect()
            for isBody in [true, false, true] {
                let request = Self.request(ofSize: size, inBody: isBody)
                #expect(request.count == size)
                let body = isBody ? request.count { $0 == 65 } : 0
                #expect(try peer.exchange(request).text == TestResponder.expected(String(body)))
            }
            #expect(server.faults.isEmpty)
        }

        /// A request to "/length" of the given size, filled up with a body or with a parameter.
        static func request(ofSize size: Int, inBody: Bool, id: Int = 1) -> [UInt8] {
            func request(_ fill: Int) -> [UInt8] {
                let value = String(repeating: "v", count: inBody ? 0 : fill)
                let parameters =
                    FastCGIWire.pair("DOCUMENT_URI", "/length") + FastCGIWire.pair("FILL", value)
                return FastCGIWire.begin(id: id) + FastCGIWire.stream(4, id: id, parameters)
                    + FastCGIWire.stream(5, id: id, [UInt8](repeating: 65, count: inBody ? fill : 0))
            }
            // Above 127 bytes every length is encoded in four bytes.
            return request(200 + size - request(200).count)
        }

        @Test("concurrent clients are all answered", arguments: TestResponder.Kind.allCases)
        func many(_ kind: TestResponder.Kind) throws {
            let server = try TestResponder(kind, workers: 4)
            let threads = try (0..<8).map { thread in
                try Thread.spawn(name: "client") {
                    for round in 0..<50 {
                        guard let peer = try? server.connect() else {
                            Issue.record("no connection")
                            return
                        }
                        for keep in [true, true, false] {
                            let body = "\(thread)/\(round)/\(keep)"
                            let answer = try? peer.exchange(FastCGIWire.request(body: Array(body.utf8), keep: keep))
                            #expect(answer?.text == TestResponder.expected("/echo:" + body))
                        }
                    }
                }
            }
            for thread in threads { thread.join() }
            #expect(Eventually.holds { server.responder.openConnections == 0 })
            #expect(server.faults.isEmpty)
        }

        @Test(
            "500 connections opened at once are all answered", arguments: TestResponder.Kind.allCases, [1, 16])
        func burst(_ kind: TestResponder.Kind, _ workers: Int) throws {
            let server = try TestResponder(kind, workers: workers)
            let answers = try Concurrently.run(500) { index in
                try server.connect().exchange(FastCGIWire.request(body: Array(String(index).utf8))).text
            }
            #expect(Set(answers) == Set((0..<500).map { TestResponder.expected("/echo:\($0)") }))
            #expect(Eventually.holds { server.responder.openConnections == 0 })
            #expect(server.faults.isEmpty)
        }

        @Test("a worker accepts only one connection at a time")
        func acceptsOne() throws {
            let events = Monitor<Set<String>>([])
            @Sendable func wait(for event: String) -> Bool {
                events.wait(atMost: .seconds(20)) { $0.contains(event) ? () : nil } != nil
            }
            let handler: Responder.Handler = { request, answer in
                let uri = request.parameter("DOCUMENT_URI") ?? ""
                events.change { _ = $0.insert("began " + uri) }
                // The first connection's response depends on the second one's.
                let next = ["/one": "may end /one", "/two": "may end /two", "/first": "began /second"][uri]
                answer += TestResponder.text(200, next.map { wait(for: $0) ? "done" : "alone" } ?? "done")
            }
            let server = try TestResponder(workers: 2, handler: handler)
            let busy = try ["/one", "/two"].map { uri in
                let peer = try server.connect()
                try peer.send(FastCGIWire.request(uri))
                #expect(wait(for: "began " + uri))
                return peer
            }
            // Both are pending when the first worker becomes free.
            let peers = try ["/first", "/second"].map { uri in
                let peer = try server.connect()
                try peer.send(FastCGIWire.request(uri, keep: false))
                return peer
            }
            events.change { _ = $0.insert("may end /one") }
            #expect(wait(for: "began /first"))
            events.change { _ = $0.insert("may end /two") }
            for peer in busy + peers { #expect(try peer.answer().text == TestResponder.expected("done")) }
        }

        /// The handlers wait for one another, so they would deadlock if a blocked worker kept its slot.
        @Test("blocked handlers with a BlockingSection run on all workers at once")
        func waitingHandlers() throws {
            let arrived = Monitor(0)
            let handler: Responder.Handler = { _, answer in
                arrived.change { $0 += 1 }
                arrived.wait { count -> Void? in count == Self.crowd ? () : nil }
                answer += TestResponder.text(200, "all arrived")
            }
            let server = try TestResponder(workers: Self.crowd, handler: handler)
            let peers = try (0..<Self.crowd).map { _ in try server.connect() }
            for peer in peers { try peer.send(FastCGIWire.request()) }
            for peer in peers { #expect(try peer.answer().text == TestResponder.expected("all arrived")) }
        }

        /// More than the number of processors.
        private static let crowd = Processors.usable + 6
    }
}
