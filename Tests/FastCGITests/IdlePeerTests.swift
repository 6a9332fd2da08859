import Foundation
import Glibc
import POSIX
import Testing

@testable import FastCGI
@testable import TestSupport

extension SocketTests {
    @Suite("Idle peers") struct IdlePeerTests {
        /// Both ends of every connection are in this process, which runs other tests as well.
        private static let hasDescriptors = DescriptorLimit.raise() >= 12_000

        /// Longer than a tick of the coarse clock, so that two connections do not come to rest at the same time; and than a
        /// connection has to rest before it makes room for another one.
        private static func waitForNextTick() { Thread.pause(for: .milliseconds(100)) }

        @Test(
            "4,200 idle peers do not keep a new one out",
            .enabled(if: hasDescriptors, "few open files are allowed here"))
        func flood() throws {
            let server = try TestServer()
            let peers = try (0..<4200).map { _ in try server.connect() }
            for _ in 0..<5 {
                let late = try server.connect()
                #expect(try late.exchange(FastCGIWire.request(body: [65])).text == TestServer.expected("/echo:A"))
            }
            #expect(server.responder.openConnections <= Limits.standard.connections)
            // Which of them had to go is not told here: many came to rest within one tick of the clock.
            #expect(peers.count { $0.isReadable } >= peers.count - Limits.standard.connections)
        }

        @Test("the one that has been idle longest makes room, and the log is told", arguments: TestServer.Kind.allCases)
        func longestIdle(_ kind: TestServer.Kind) throws {
            var limits = Limits.quick
            limits.connections = 3
            let server = try TestServer(kind, limits: limits)
            let peers = try (0..<3).map { _ in
                let peer = try server.connect()
                _ = try peer.exchange(FastCGIWire.request())
                Self.waitForNextTick()
                return peer
            }
            _ = try peers[0].exchange(FastCGIWire.request())
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

        @Test("a peer whose request is arriving, being served or being answered does not make room")
        func busy() throws {
            let mayAnswer = Monitor(false)
            var limits = Limits.quick
            limits.connections = 4
            (limits.incompleteFor, limits.unreadFor) = (.seconds(60), .seconds(60))
            let handler: Responder.Handler = { request, answer in
                if request.parameter("DOCUMENT_URI") == "/held" {
                    // As long as the test may take, and not for ever where it fails.
                    _ = mayAnswer.wait(atMost: .seconds(120)) { $0 ? () : nil }
                }
                TestServer.answer(request, into: &answer)
            }
            let server = try TestServer(workers: 3, limits: limits, handler: handler)
            let request = FastCGIWire.request(body: [65])
            // One after the other: of connections accepted together, one may wait for the handler of another.
            var count = 0
            func connect() throws -> FastCGIPeer {
                let peer = try server.connect()
                count += 1
                #expect(TestServer.eventually { server.responder.openConnections == count })
                return peer
            }
            let arriving = try connect()
            try arriving.send(Array(request.prefix(20)))
            let unread = try connect()
            try unread.send(FastCGIWire.request("/large/5000000"))
            let served = try connect()
            try served.send(FastCGIWire.request("/held"))
            #expect(TestServer.eventually { server.responder.openConnections == 3 && !server.hasIdleConnection })
            // Each takes the place of the one before.
            var late: [FastCGIPeer] = []
            for _ in 0..<10 {
                late.append(try server.connect())
                #expect(try late.last?.exchange(request).text == TestServer.expected("/echo:A"))
                #expect(TestServer.eventually { server.hasIdleConnection })
                Self.waitForNextTick()
            }
            for peer in late.dropLast() { #expect(try peer.isEnded()) }
            mayAnswer.change { $0 = true }
            #expect(try served.answer().text == TestServer.expected("/held:"))
            #expect(try arriving.exchange(Array(request.dropFirst(20))).text == TestServer.expected("/echo:A"))
            #expect(try unread.answer().byteCount > 5_000_000)
        }

        @Test("an idle peer is closed after its time, silent or served before; one in the middle of a request is not")
        func idleTime() throws {
            var limits = Limits.quick
            // More than a busy machine takes from connecting to sending.
            limits.idleFor = .seconds(3)
            limits.incompleteFor = .seconds(60)
            let server = try TestServer(limits: limits)
            let request = FastCGIWire.request(body: [65])
            let arriving = try server.connect()
            try arriving.send(Array(request.prefix(20)))
            let served = try server.connect()
            #expect(try served.exchange(request).text == TestServer.expected("/echo:A"))
            let silent = try server.connect()
            #expect(try silent.isEnded())
            #expect(try served.isEnded())
            #expect(TestServer.eventually { server.responder.openConnections == 1 })
            #expect(try arriving.exchange(Array(request.dropFirst(20))).text == TestServer.expected("/echo:A"))
            #expect(server.faults.isEmpty, "an idle connection that ends is no fault")
        }

        @Test("an idle peer is not closed before its time")
        func notEarly() throws {
            var limits = Limits.quick
            limits.idleFor = .seconds(60)
            let server = try TestServer(limits: limits)
            let peer = try server.connect()
            // Many sweeps.
            for _ in 0..<10 {
                Self.waitForNextTick()
                #expect(try peer.exchange(FastCGIWire.request()).protocolStatus == 0)
            }
        }

        /// Not run, so that only the test looks at the connection.
        @Test("a request that has just arrived keeps its connection from being closed as idle")
        func justArrived() throws {
            var limits = Limits.quick
            limits.idleFor = .zero
            let responder = try Responder(
                listener: .tcp(host: "127.0.0.1", port: 0), workers: 1, limits: limits,
                handler: TestServer.answer)
            var number: Int32 = -1
            let near = try SocketPair().giveFarEnd { far in
                number = far.number
                responder.adopt(far)
            }
            try FastCGIPeer.send(FastCGIWire.request(), to: near.number)
            // A worker that has got the event finds that the sweep holds the connection.
            #expect(try responder.poller.wait(milliseconds: 5000) == number)
            responder.sweep()
            #expect(responder.openConnections == 1)
            #expect(try responder.poller.wait(milliseconds: 5000) == number, "a worker hears of it again")
            #expect(responder.connections.take(number, where: \.isIdle) != nil)
            close(number)
        }

        @Test(
            "requests that come just when their connections are due to be closed are answered, or never taken"
        )
        func atTheLimit() throws {
            var limits = Limits.quick
            (limits.idleFor, limits.sweepEvery) = (.milliseconds(8), .milliseconds(1))
            let server = try TestServer(limits: limits)
            for round in 0..<300 {
                let peer = try server.connect()
                guard (try? peer.exchange(FastCGIWire.request())) != nil else { continue }
                Thread.pause(for: .microseconds(7000 + 20 * round))
                guard (try? peer.send(FastCGIWire.request(body: [66]))) != nil else { continue }
                // The end of the connection is fine, part of an answer is not.
                guard let record = try peer.record() else { continue }
                #expect(record.type == 6)
                #expect(try peer.answer().protocolStatus == 0)
            }
            #expect(TestServer.eventually { server.responder.openConnections == 0 })
            #expect(server.faults.isEmpty)
        }

        @Test("nginx closes its idle connections long before the responder does")
        func nginxFirst() throws {
            let text = try String(contentsOfFile: Executable.root + "/nginx/conf.d/gatehouse.conf", encoding: .utf8)
            let upstream = try #require(text.firstMatch(of: /upstream gatehouse \{(?<body>[^}]*)\}/)?.output.body)
            let seconds = try #require(upstream.firstMatch(of: /\n *keepalive_timeout (\d+)s;/)?.output.1)
            let timeout = Duration.seconds(try #require(Int(seconds)))
            #expect(Limits.standard.idleFor >= timeout * 2)
            // Where an operator's own configuration sets nothing, nginx keeps a connection for 60 s.
            #expect(Limits.standard.idleFor >= .seconds(60) + .seconds(20))
        }
    }
}
