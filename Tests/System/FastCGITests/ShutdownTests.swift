import FastCGI
import POSIX
import Sockets
import Synchronization
import Testing

@testable import TestSupport

extension SocketTests {
    @Suite struct ShutdownTests {
        @Test("a running request is answered, then all connections are closed", arguments: TestResponder.Kind.allCases)
        func inFlight(_ kind: TestResponder.Kind) throws {
            let server = try TestResponder(kind)
            let idle = try server.connect()
            _ = try idle.exchange(FastCGIWire.request())
            let silent = try server.connect()
            let busy = try server.connect()
            try busy.send(FastCGIWire.request("/held"))
            server.held.arrive()
            let start = MonotonicTime.now
            server.responder.shutDown()
            server.held.release()
            server.stop()
            #expect(MonotonicTime.now < start + Limits.quick.drain)
            #expect(try busy.answer().text == TestResponder.expected("/held:"))
            #expect(try busy.isEnded())
            #expect(try idle.isEnded())
            #expect(try silent.isEnded())
            #expect(throws: FastCGIPeer.Failure.self) { try server.connect() }
            #expect(server.responder.openConnections == 0)
        }

        @Test("idle workers end immediately", arguments: [1, 2, 16])
        func idleWorkers(_ workers: Int) throws {
            for _ in 0..<10 {
                let server = try TestResponder(workers: workers)
                let start = MonotonicTime.now
                server.stop()
                #expect(MonotonicTime.now < start + Limits.quick.drain)
            }
        }

        @Test("a shutdown before `run` takes effect")
        func early() throws {
            let responder = try Responder(
                listener: .tcp(host: "127.0.0.1", port: 0), workers: 2, handler: TestResponder.answer)
            responder.shutDown()
            responder.shutDown()
            try responder.run()
        }

        @Test("after the drain timeout the remaining requests are cut off", arguments: [true, false])
        func drainTimeout(_ isStuckInHandler: Bool) throws {
            var limits = Limits.quick
            limits.drain = .milliseconds(300)
            let server = try TestResponder(limits: limits)
            let peer = try server.connect()
            try peer.send(isStuckInHandler ? FastCGIWire.request("/held") : Array(FastCGIWire.request()[..<20]))
            #expect(
                Eventually.holds { server.responder.openConnections == 1 && !server.hasIdleConnection }
            )
            if isStuckInHandler { server.held.arrive() }
            let start = MonotonicTime.now
            server.stop()
            #expect(MonotonicTime.now < start + Limits.quick.drain)
            server.held.release()
            if !isStuckInHandler { #expect(try peer.isEnded()) }
        }

        @Test("under load, every request that was read is answered")
        func underLoad() throws {
            let server = try TestResponder(workers: 4)
            let answered = Atomic(0)
            let threads = try (0..<6).map { _ in
                try Thread.spawn(name: "client") {
                    while let peer = try? server.connect() {
                        // The connection may be closed, but not within a response.
                        guard (try? peer.send(FastCGIWire.request("/large/300000"))) != nil else { return }
                        guard let first = try? peer.record() else { return }
                        #expect(first.type == 6)
                        #expect((try? peer.answer()) != nil)
                        answered.add(1, ordering: .relaxed)
                    }
                }
            }
            #expect(Eventually.holds { answered.load(ordering: .relaxed) > 100 })
            server.stop()
            for thread in threads { thread.join() }
        }

        @Test(
            "a request that waits for a worker is answered during shutdown although all slots are taken")
        func heldUp() throws {
            let heldUp = Monitor(0)
            let isOver = Atomic(false)
            let handler: Responder.Handler = { request, answer in
                if request.parameter("DOCUMENT_URI") == "/held" {
                    heldUp.change { $0 += 1 }
                    // Waits without a BlockingSection.
                    _ = Eventually.holds { isOver.load(ordering: .relaxed) }
                }
                answer += TestResponder.text(200, "answered")
            }
            let server = try TestResponder(workers: Processors.usable + 2, handler: handler)
            let held = try (0..<Processors.usable).map { _ in try server.connect() }
            for peer in held { try peer.send(FastCGIWire.request("/held")) }
            heldUp.wait { count -> Void? in count == held.count ? () : nil }
            let other = try server.connect()
            try other.send(FastCGIWire.request("/other"))
            server.responder.shutDown()
            #expect(try other.answer().text == TestResponder.expected("answered"))
            isOver.store(true, ordering: .relaxed)
            for peer in held { #expect(try peer.answer().text == TestResponder.expected("answered")) }
        }
    }
}
