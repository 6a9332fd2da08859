import Foundation
import Glibc
import POSIX
import Processes
import Sockets
import Testing

@testable import FastCGI
@testable import TestSupport

extension SocketTests {
    @Suite("Idle peers") struct IdlePeerTests {
        /// Both ends of every connection are in this process, which also runs other tests.
        private static let hasDescriptors = DescriptorLimit.raise() >= 12_000

        /// Waits until the coarse clock has ticked, so that two connections do not become idle at the same time.
        private static func waitForNextTick() {
            let before = MonotonicTime.now
            _ = Eventually.holds(every: 0.001) { before < MonotonicTime.now }
        }

        @Test(
            "4,200 idle connections do not prevent a new one",
            .enabled(if: hasDescriptors, "the limit on open files is too low"))
        func flood() throws {
            let server = try TestResponder()
            let peers = try (0..<4200).map { _ in try server.connect() }
            for _ in 0..<5 {
                let late = try server.connect()
                #expect(try late.exchange(FastCGIWire.request(body: [65])).text == TestResponder.expected("/echo:A"))
            }
            #expect(server.responder.openConnections <= Limits.standard.connections)
            // Which of them were closed is not determined: many became idle within one tick of the clock.
            #expect(peers.count { $0.isReadable } >= peers.count - Limits.standard.connections)
        }

        @Test(
            "the connection that has been idle longest is closed for a new one, and reported",
            arguments: TestResponder.Kind.allCases)
        func longestIdle(_ kind: TestResponder.Kind) throws {
            var limits = Limits.quick
            limits.connections = 3
            let server = try TestResponder(kind, limits: limits)
            let peers = try (0..<3).map { _ in
                let peer = try server.connect()
                _ = try peer.exchange(FastCGIWire.request())
                #expect(Eventually.holds { server.hasOnlyIdleConnections })
                Self.waitForNextTick()
                return peer
            }
            _ = try peers[0].exchange(FastCGIWire.request())
            #expect(Eventually.holds { server.hasOnlyIdleConnections })
            let late = try server.connect()
            #expect(try late.exchange(FastCGIWire.request()).protocolStatus == 0)
            #expect(try peers[1].isEnded())
            for peer in [peers[0], peers[2], late] {
                #expect(try peer.exchange(FastCGIWire.request()).protocolStatus == 0)
            }
            guard case .tooManyConnections = server.faults.first, server.faults.count == 1 else {
                Issue.record("\(server.faults)")
                return
            }
        }

        @Test("a connection with an incomplete, running or unread request is not closed for a new one")
        func busy() throws {
            var limits = Limits.quick
            limits.connections = 4
            (limits.incompleteFor, limits.unreadFor) = (.seconds(60), .seconds(60))
            let server = try TestResponder(workers: 3, limits: limits)
            let request = FastCGIWire.request(body: [65])
            // Sequentially: of connections accepted together, one may wait for the handler of another.
            var count = 0
            func connect() throws -> FastCGIPeer {
                let peer = try server.connect()
                count += 1
                #expect(Eventually.holds { server.responder.openConnections == count })
                return peer
            }
            let arriving = try connect()
            try arriving.send(Array(request.prefix(20)))
            let unread = try connect()
            try unread.send(FastCGIWire.request("/large/5000000"))
            let served = try connect()
            try served.send(FastCGIWire.request("/held"))
            #expect(Eventually.holds { server.responder.openConnections == 3 && !server.hasIdleConnection })
            // Each replaces the previous one.
            var late: [FastCGIPeer] = []
            for _ in 0..<10 {
                late.append(try server.connect())
                #expect(try late.last?.exchange(request).text == TestResponder.expected("/echo:A"))
                #expect(Eventually.holds { server.hasIdleConnection })
                Self.waitForNextTick()
            }
            for peer in late.dropLast() { #expect(try peer.isEnded()) }
            server.held.release()
            #expect(try served.answer().text == TestResponder.expected("/held:"))
            #expect(try arriving.exchange(Array(request.dropFirst(20))).text == TestResponder.expected("/echo:A"))
            #expect(try unread.answer().byteCount > 5_000_000)
        }

        /// The responder does not run, so that only the test sweeps.
        @Test("a sweep closes an idle connection only after the timeout", arguments: [Duration.seconds(3600), .zero])
        func notEarly(idleFor: Duration) throws {
            var limits = Limits.quick
            limits.idleFor = idleFor
            let responder = try Responder(
                listener: .tcp(host: "127.0.0.1", port: 0), workers: 1, limits: limits,
                handler: TestResponder.answer)
            let near = try SocketPair().giveFarEnd { far in
                let isAdopted = responder.adopt(far)
                #expect(isAdopted)
            }
            for _ in 0..<10 {
                Self.waitForNextTick()
                responder.sweep()
            }
            #expect(responder.openConnections == (idleFor == .zero ? 0 : 1))
            let isClosed = near.waitUntilReadable(milliseconds: 0)
            #expect(isClosed == (idleFor == .zero))
        }

        /// The responder does not run, so that only the test accesses the connection.
        @Test("a connection on which a request has just arrived is not closed as idle")
        func justArrived() throws {
            var limits = Limits.quick
            limits.idleFor = .zero
            let responder = try Responder(
                listener: .tcp(host: "127.0.0.1", port: 0), workers: 1, limits: limits,
                handler: TestResponder.answer)
            var number: Int32 = -1
            let near = try SocketPair().giveFarEnd { far in
                number = far.number
                responder.adopt(far)
            }
            try FastCGIPeer.send(FastCGIWire.request(), to: near.number)
            // A worker that takes the event now would find the connection taken by the sweep.
            #expect(try responder.poller.wait(milliseconds: 5000) == number)
            responder.sweep()
            #expect(responder.openConnections == 1)
            #expect(try responder.poller.wait(milliseconds: 5000) == number, "the poller reports it again")
            #expect(responder.connections.take(number, where: \.isIdle) != nil)
            close(number)
        }

        @Test(
            "a request that arrives when its connection is about to be closed is answered completely or not at all"
        )
        func atTheLimit() throws {
            var limits = Limits.quick
            (limits.idleFor, limits.sweepEvery) = (.milliseconds(8), .milliseconds(1))
            let server = try TestResponder(limits: limits)
            for round in 0..<300 {
                let peer = try server.connect()
                guard (try? peer.exchange(FastCGIWire.request())) != nil else { continue }
                // From a moment before the sweep to one after it.
                _ = peer.isReadable(within: 0.007 + 0.001 * Double(round / 50))
                guard (try? peer.send(FastCGIWire.request(body: [66]))) != nil else { continue }
                // The connection may be closed, but not within a response.
                guard let record = try peer.record() else { continue }
                #expect(record.type == 6)
                #expect(try peer.answer().protocolStatus == 0)
            }
            #expect(Eventually.holds { server.responder.openConnections == 0 })
            #expect(server.faults.isEmpty)
        }

        @Test("nginx closes idle connections long before the responder does")
        func nginxFirst() throws {
            let text = try String(contentsOfFile: Executable.root + "/nginx/conf.d/gatehouse.conf", encoding: .utf8)
            let upstream = try #require(text.firstMatch(of: /upstream gatehouse \{(?<body>[^}]*)\}/)?.output.body)
            let seconds = try #require(upstream.firstMatch(of: /\n *keepalive_timeout (\d+)s;/)?.output.1)
            let timeout = Duration.seconds(try #require(Int(seconds)))
            #expect(Limits.standard.idleFor >= timeout * 2)
            // By default nginx keeps an idle connection for 60 s.
            #expect(Limits.standard.idleFor >= .seconds(60) + .seconds(20))
        }
    }
}
