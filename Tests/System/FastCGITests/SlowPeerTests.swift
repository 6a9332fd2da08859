import FastCGI
import Glibc
import POSIX
import Testing

@testable import TestSupport

extension SocketTests {
    @Suite struct SlowPeerTests {
        @Test("a thousand idle connections do not delay other requests", arguments: [1, 16])
        func idle(_ workers: Int) throws {
            let server = try TestResponder(workers: workers)
            let idle = try (0..<1000).map { number in
                let peer = try server.connect()
                // Half of them have been served before, half have never sent anything.
                if number % 2 == 0 { _ = try peer.exchange(FastCGIWire.request()) }
                return peer
            }
            // The machine may be busy with other tests, so one of some attempts counts.
            let isInTime = try (0..<5).contains { _ in
                let start = MonotonicTime.now
                let peer = try server.connect()
                #expect(try peer.exchange(FastCGIWire.request(body: [65])).text == TestResponder.expected("/echo:A"))
                return MonotonicTime.now < start + .seconds(1)
            }
            #expect(isInTime)
            for old in idle.suffix(10) {
                #expect(try old.exchange(FastCGIWire.request(body: [66])).text == TestResponder.expected("/echo:B"))
            }
            #expect(Eventually.holds { server.responder.openConnections == 1000 })
        }

        @Test("an incomplete request is closed after the timeout, other connections stay open")
        func incomplete() throws {
            var limits = Limits.quick
            limits.incompleteFor = .milliseconds(300)
            let server = try TestResponder(limits: limits)
            let idle = try server.connect()
            _ = try idle.exchange(FastCGIWire.request())
            let slow = try server.connect()
            let start = MonotonicTime.now
            // Sending a byte does not extend the deadline: the request would be complete after some seconds.
            let request = FastCGIWire.request(body: [UInt8](repeating: 65, count: 200))
            var sent = 0
            while sent < request.count, (try? slow.send([request[sent]])) != nil, !slow.isReadable(within: 0.02) {
                sent += 1
            }
            #expect(sent < request.count - 1)
            #expect(MonotonicTime.now >= start + limits.incompleteFor)
            #expect(try slow.isEnded())
            #expect(try idle.exchange(FastCGIWire.request()).protocolStatus == 0)
            #expect(server.faults.count == 1)
        }

        @Test("the timeout starts again with every request")
        func slowButSteady() throws {
            var limits = Limits.quick
            limits.incompleteFor = .seconds(2)
            let server = try TestResponder(limits: limits)
            // A machine that is so busy that a single request takes longer than the timeout proves nothing.
            for _ in 0..<20 where try answersSteadily(server.connect(), limits.incompleteFor) {
                return
            }
            Issue.record("the machine is too slow")
        }

        /// Sends requests that take together longer than the timeout. False if one of them took longer by itself.
        private func answersSteadily(_ peer: FastCGIPeer, _ timeout: Duration) throws -> Bool {
            let request = FastCGIWire.request(body: [65])
            for _ in 0..<4 {
                let start = MonotonicTime.now
                do {
                    try peer.send(Array(request[..<20]))
                    let isClosed = peer.isReadable(within: 0.7)
                    if !isClosed {
                        #expect(try peer.exchange(Array(request[20...])).text == TestResponder.expected("/echo:A"))
                        continue
                    }
                } catch is FastCGIPeer.Failure {}
                #expect(MonotonicTime.now >= start + timeout, "closed too early")
                return false
            }
            return true
        }

        @Test(
            "the largest request is read completely",
            arguments: TestResponder.Kind.allCases)
        func largest(_ kind: TestResponder.Kind) throws {
            let server = try TestResponder(kind, workers: 1)
            let peer = try server.connect()
            var size: Int32 = 1 << 20
            setsockopt(peer.descriptor, SOL_SOCKET, SO_SNDBUF, &size, 4)
            _ = try peer.exchange(FastCGIWire.request())
            let busy = try server.connect()
            try busy.send(FastCGIWire.request("/held"))
            server.held.arrive()
            let body = [UInt8](repeating: 65, count: 65536)
            let fill = ("FILL", String(repeating: "v", count: 65000))
            try peer.send(FastCGIWire.request("/length", body: body, parameters: [fill]))
            server.held.release()
            #expect(try peer.answer().text == TestResponder.expected("65536"))
        }

        @Test("a request in more tiny writes than the kernel buffers is answered, without delaying others")
        func tinyWrites() throws {
            let server = try TestResponder(workers: 1)
            let peer = try server.connect()
            let descriptor = peer.descriptor
            let sender = try Thread.spawn(name: "sender") {
                for byte in FastCGIWire.request(body: [UInt8](repeating: 65, count: 5000)) {
                    guard (try? FastCGIPeer.send([byte], to: descriptor)) != nil else { return }
                }
            }
            let other = try server.connect()
            for _ in 0..<20 { #expect(try other.exchange(FastCGIWire.request()).protocolStatus == 0) }
            sender.join()
            let expected = TestResponder.expected("/echo:" + String(repeating: "A", count: 5000))
            #expect(try peer.answer().text == expected)
            #expect(server.faults.isEmpty)
            #expect(try other.exchange(FastCGIWire.request()).protocolStatus == 0)
        }

        @Test(
            "200 incomplete requests and 200 unread responses do not delay other requests",
            arguments: [1, 16])
        func crowd(_ workers: Int) throws {
            var limits = Limits.quick
            (limits.incompleteFor, limits.unreadFor) = (.seconds(60), .seconds(60))
            let large = TestResponder.text(200, String(repeating: "x", count: 1_000_000))
            let handler: Responder.Handler = { request, answer in
                if request.parameter("DOCUMENT_URI") == "/large" {
                    answer += large
                    return
                }
                TestResponder.answer(request, into: &answer)
            }
            let server = try TestResponder(workers: workers, limits: limits, handler: handler)
            let request = FastCGIWire.request(body: [65])
            let halves = try (0..<200).map { number in
                let peer = try server.connect()
                if number % 2 == 0 { _ = try peer.exchange(request) }
                try peer.send(Array(request.prefix(1 + number % (request.count - 1))))
                return peer
            }
            let unread = try (0..<200).map { _ in
                let peer = try server.connect()
                try peer.send(FastCGIWire.request("/large"))
                return peer
            }
            #expect(Eventually.holds { unread.allSatisfy(\.isReadable) })
            let isInTime = try (0..<5).contains { _ in
                let start = MonotonicTime.now
                let peer = try server.connect()
                for _ in 0..<10 { #expect(try peer.exchange(request).text == TestResponder.expected("/echo:A")) }
                return MonotonicTime.now < start + .seconds(2)
            }
            #expect(isInTime)
            #expect(Eventually.holds { server.responder.openConnections == 400 })
            for (number, peer) in halves.enumerated() {
                let rest = Array(request.dropFirst(1 + number % (request.count - 1)))
                #expect(try peer.exchange(rest).text == TestResponder.expected("/echo:A"))
            }
            for peer in unread.prefix(3) { #expect(try peer.answer().byteCount > 1_000_000) }
            #expect(server.faults.isEmpty)
        }

        @Test("beyond the limit for all together, the largest incomplete request is closed, and smaller ones go on")
        func unfinishedBytes() throws {
            var limits = Limits.quick
            (limits.incompleteFor, limits.unfinishedRequests) = (.seconds(60), 100_000)
            let server = try TestResponder(limits: limits)
            func half(_ count: Int) throws -> (peer: FastCGIPeer, rest: [UInt8]) {
                let request = FastCGIWire.request("/length", body: [UInt8](repeating: 65, count: count))
                let peer = try server.connect()
                let after = server.responder.unfinishedBytes + request.count - 20
                try peer.send(Array(request.dropLast(20)))
                let isRead = { server.responder.unfinishedBytes == after || !server.faults.isEmpty }
                try #require(Eventually.holds(isRead))
                return (peer, Array(request.suffix(20)))
            }
            let small = try half(1000)
            let largest = try half(50_000)
            let large = try half(40_000)
            #expect(server.faults.isEmpty)
            let last = try half(30_000)
            #expect(try largest.peer.isEnded())
            #expect(server.faults.map { "\($0)" } == ["tooManyUnfinishedBytes"])
            for (half, count) in [(small, 1000), (large, 40_000), (last, 30_000)] {
                #expect(try half.peer.exchange(half.rest).text == TestResponder.expected("\(count)"))
            }
            #expect(Eventually.holds { server.responder.unfinishedBytes == 0 })
            #expect(server.responder.openConnections == 3)
        }

        @Test("a complete request that waits for a worker is never closed to save memory")
        func unfinishedAndComplete() throws {
            var limits = Limits.quick
            (limits.incompleteFor, limits.unfinishedRequests) = (.seconds(60), 110_000)
            let server = try TestResponder(workers: 1, limits: limits)
            let busy = try server.connect()
            let request = FastCGIWire.request("/length", body: [UInt8](repeating: 65, count: 10_000))
            // The worker sees that they are incomplete, before another request occupies it.
            let peers = try (0..<12).map { _ in
                let peer = try server.connect()
                try peer.send([request[0]])
                return peer
            }
            try #require(Eventually.holds { server.responder.unfinishedBytes == 12 })
            try busy.send(FastCGIWire.request("/held"))
            server.held.arrive()
            for peer in peers.dropLast() { try peer.send(Array(request.dropFirst())) }
            #expect(try peers[11].isEnded(), "it is the only incomplete one")
            #expect(server.responder.unfinishedBytes > limits.unfinishedRequests)
            server.held.release()
            for peer in peers.dropLast() { #expect(try peer.answer().text == TestResponder.expected("10000")) }
            #expect(Eventually.holds { server.responder.unfinishedBytes == 0 })
        }

        @Test("a request with so many tiny records that it exceeds 256 KiB is refused")
        func tinyRecords() throws {
            let server = try TestResponder()
            let peer = try server.connect()
            let request = FastCGIWire.request(body: [UInt8](repeating: 65, count: 60_000), recordSize: 1)
            _ = try? peer.send(request)
            #expect(Eventually.holds { server.responder.openConnections == 0 && server.faults.count == 1 })
            #expect(server.responder.unfinishedBytes == 0)
        }

        @Test(
            "the connection of a peer that closes within its request is closed at once",
            arguments: TestResponder.Kind.allCases)
        func leavesHalfway(_ kind: TestResponder.Kind) throws {
            var limits = Limits.quick
            limits.incompleteFor = .seconds(60)
            let server = try TestResponder(kind, limits: limits)
            for cut in [1, 8, 20] {
                let peer = try server.connect()
                try peer.send(Array(FastCGIWire.request().prefix(cut)))
                let isWaitedFor = { server.responder.openConnections == 1 && !server.hasIdleConnection }
                try #require(Eventually.holds(isWaitedFor))
                _ = consume peer
                try #require(Eventually.holds { server.responder.openConnections == 0 })
            }
        }

        @Test("the connection of a peer that does not read is closed after the timeout, without delaying others")
        func neverReads() throws {
            var limits = Limits.quick
            limits.unreadFor = .milliseconds(400)
            let server = try TestResponder(workers: 1, limits: limits)
            let unread = try (0..<10).map { _ in try server.connect() }
            for peer in unread { try peer.send(FastCGIWire.request("/large/5000000")) }
            let peer = try server.connect()
            for _ in 0..<10 { #expect(try peer.exchange(FastCGIWire.request()).protocolStatus == 0) }
            #expect(Eventually.holds { server.responder.openConnections == 1 })
            #expect(server.faults.count == 10)
            #expect(try peer.exchange(FastCGIWire.request()).protocolStatus == 0)
        }

        @Test(
            "small unread responses fill the socket and do not block a worker",
            arguments: TestResponder.Kind.allCases)
        func smallAnswersUnread(_ kind: TestResponder.Kind) throws {
            let server = try TestResponder(kind, workers: 1)
            let unread = try server.connect()
            let peer = try server.connect()
            // Each request is sent after the response to the previous one. The connection is closed
            // when the socket is full.
            var count = 0
            while count < 5000,
                (try? unread.send(FastCGIWire.request("/large/30000", id: count + 1))) != nil
            {
                count += 1
                #expect(try peer.exchange(FastCGIWire.request()).protocolStatus == 0)
                #expect(Eventually.holds { server.responder.busyWorkers == 0 })
            }
            #expect(count < 5000)
            #expect(try unread.answer().id == 1)
            #expect(try peer.exchange(FastCGIWire.request()).protocolStatus == 0)
            #expect(Eventually.holds { server.responder.openConnections == 1 })
        }

        @Test("a peer that disconnects does not affect others", arguments: TestResponder.Kind.allCases)
        func hangsUp(_ kind: TestResponder.Kind) throws {
            let server = try TestResponder(kind)
            let request = FastCGIWire.request("/large/3000000")
            for cut in [0, 1, 8, 20, request.count] {
                for _ in 0..<5 {
                    let peer = try server.connect()
                    try peer.send(Array(request[..<cut]))
                    if cut == request.count { _ = try peer.record() }
                }
            }
            for _ in 0..<5 {
                let peer = try server.connect()
                try peer.send(FastCGIWire.request("/held"))
            }
            server.held.arrive()
            server.held.release()
            let peer = try server.connect()
            #expect(try peer.exchange(FastCGIWire.request()).protocolStatus == 0)
            #expect(Eventually.holds { server.responder.openConnections == 1 })
        }

        @Test(
            "a peer that closes its writing side gets its response",
            arguments: TestResponder.Kind.allCases)
        func halfClosed(_ kind: TestResponder.Kind) throws {
            let server = try TestResponder(kind)
            for _ in 0..<20 {
                let peer = try server.connect()
                _ = try peer.exchange(FastCGIWire.request())
                try peer.send(FastCGIWire.request("/large/300000", id: 2))
                shutdown(peer.descriptor, Int32(SHUT_WR))
                #expect(try peer.answer().id == 2)
                #expect(try peer.isEnded())
            }
            #expect(Eventually.holds { server.responder.openConnections == 0 })
        }

        @Test("after descriptors have run out, pending connections are accepted as soon as some are free")
        func outOfDescriptors() throws {
            let server = try TestResponder()
            #expect(try server.connect().exchange(FastCGIWire.request(keep: false)).protocolStatus == 0)
            #expect(Eventually.holds { server.responder.openConnections == 0 })
            let free = dup(0)
            close(free)
            var usual = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &usual)
            defer { setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &usual) }
            // Room for the peer's own descriptor only.
            var tight = rlimit(rlim_cur: rlim_t(free + 1), rlim_max: usual.rlim_max)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &tight)
            let peer = try server.connect()
            try peer.send(FastCGIWire.request())
            let hasFailed = Eventually.holds { !server.faults.isEmpty }
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &usual)
            #expect(hasFailed)
            #expect(try peer.answer().protocolStatus == 0)
        }

        @Test(
            "if no connection is idle, connections above the limit are closed at once, and accepted when others have ended"
        )
        func tooMany() throws {
            var limits = Limits.quick
            limits.connections = 10
            let server = try TestResponder(limits: limits)
            var peers = try (0..<10).map { _ in try server.connect() }
            for peer in peers { try peer.send(Array(FastCGIWire.request().prefix(20))) }
            #expect(Eventually.holds { !server.hasIdleConnection })
            let late = try server.connect()
            #expect(try late.isEnded())
            peers.removeLast()
            #expect(Eventually.holds { server.responder.openConnections == 9 })
            #expect(try server.connect().exchange(FastCGIWire.request()).protocolStatus == 0)
        }
    }
}
