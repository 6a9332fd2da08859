import FastCGI
import POSIX
import Synchronization
import Testing

@testable import TestSupport

extension SocketTests {
    @Suite struct ShutdownTests {
        @Test("a request under way is answered, then everything ends", arguments: TestServer.Kind.allCases)
        func inFlight(_ kind: TestServer.Kind) throws {
            let server = try TestServer(kind)
            let idle = try server.connect()
            _ = try idle.exchange(FastCGIWire.request())
            let silent = try server.connect()
            let busy = try server.connect()
            try busy.send(FastCGIWire.request("/sleep/300"))
            Thread.pause(for: .milliseconds(50))
            let start = MonotonicTime.now
            server.stop()
            #expect(MonotonicTime.now < start + .seconds(2))
            #expect(try busy.answer().text == TestServer.expected("/sleep/300"))
            #expect(try busy.isEnded())
            #expect(try idle.isEnded())
            #expect(try silent.isEnded())
            #expect(throws: FastCGIPeer.Failure.self) { try server.connect() }
            #expect(server.responder.openConnections == 0)
        }

        @Test("idle workers end at once", arguments: [1, 2, 16])
        func idleWorkers(_ workers: Int) throws {
            for _ in 0..<10 {
                let server = try TestServer(workers: workers)
                let start = MonotonicTime.now
                server.stop()
                #expect(MonotonicTime.now < start + .seconds(1))
            }
        }

        @Test("shutting down before running is not lost")
        func early() throws {
            let responder = try Responder(
                listener: .tcp(host: "127.0.0.1", port: 0), workers: 2, handler: TestServer.answer)
            responder.shutDown()
            responder.shutDown()
            try responder.run()
        }

        @Test("a request that has begun to arrive may come to its end")
        func half() throws {
            let server = try TestServer()
            let peer = try server.connect()
            let request = FastCGIWire.request(body: [65, 66])
            try peer.send(Array(request[..<30]))
            Thread.pause(for: .milliseconds(50))
            server.responder.shutDown()
            Thread.pause(for: .milliseconds(100))
            #expect(try peer.exchange(Array(request[30...])).text == TestServer.expected("/echo:AB"))
            #expect(try peer.isEnded())
            server.stop()
        }

        @Test("an answer that is being read slowly is read to its end")
        func slowReader() throws {
            let server = try TestServer()
            let peer = try server.connect()
            try peer.send(FastCGIWire.request("/large/3000000"))
            Thread.pause(for: .milliseconds(50))
            server.responder.shutDown()
            Thread.pause(for: .milliseconds(100))
            #expect(try peer.answer().byteCount > 3_000_000)
            #expect(try peer.isEnded())
            server.stop()
        }

        @Test("patience ends: what is not done by then is cut off", arguments: [true, false])
        func impatient(_ isStuckInHandler: Bool) throws {
            var limits = Limits.quick
            limits.drain = .milliseconds(300)
            let server = try TestServer(limits: limits)
            let peer = try server.connect()
            try peer.send(isStuckInHandler ? FastCGIWire.request("/sleep/1500") : Array(FastCGIWire.request()[..<20]))
            Thread.pause(for: .milliseconds(50))
            let start = MonotonicTime.now
            server.stop()
            #expect(MonotonicTime.now < start + .milliseconds(1000))
            if !isStuckInHandler { #expect(try peer.isEnded()) }
        }

        @Test("under load, every request that was taken is answered")
        func underLoad() throws {
            let server = try TestServer(workers: 4)
            let threads = try (0..<6).map { _ in
                try Thread.spawn(name: "front") {
                    while let peer = try? server.connect() {
                        // A closed connection is fine, half an answer is not.
                        guard (try? peer.send(FastCGIWire.request("/sleep/1"))) != nil else { return }
                        guard let first = try? peer.record() else { return }
                        #expect(first.type == 6)
                        #expect((try? peer.answer()) != nil)
                    }
                }
            }
            Thread.pause(for: .milliseconds(200))
            server.stop()
            for thread in threads { thread.join() }
        }

        @Test(
            "a request that waits for a worker is answered at the shutdown, although all slots are taken")
        func heldUp() throws {
            let heldUp = Monitor(0)
            let isOver = Atomic(false)
            let handler: Responder.Handler = { request, answer in
                if request.parameter("DOCUMENT_URI") == "/held" {
                    heldUp.change { $0 += 1 }
                    // Nothing that says that it waits.
                    _ = TestServer.eventually { isOver.load(ordering: .relaxed) }
                }
                answer += TestServer.text(200, "answered")
            }
            let server = try TestServer(workers: Processors.usable + 2, handler: handler)
            let held = try (0..<Processors.usable).map { _ in try server.connect() }
            for peer in held { try peer.send(FastCGIWire.request("/held")) }
            heldUp.wait { count -> Void? in count == held.count ? () : nil }
            let other = try server.connect()
            try other.send(FastCGIWire.request("/other"))
            server.responder.shutDown()
            #expect(try other.answer().text == TestServer.expected("answered"))
            isOver.store(true, ordering: .relaxed)
            for peer in held { #expect(try peer.answer().text == TestServer.expected("answered")) }
        }
    }
}
