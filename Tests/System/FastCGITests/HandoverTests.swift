import Glibc
import Synchronization
import Testing

@testable import FastCGI
@testable import POSIX
@testable import Sockets
@testable import TestSupport

extension SocketTests {
    @Suite("Handing over connections at shutdown") struct HandoverTests {
        /// Keeps copies of the descriptors.
        private final class Keeper: Sendable {
            private let copies = Mutex<[Int32]>([])
            var count: Int { copies.withLock { $0.count } }

            func keep(_ descriptor: Int32) -> Bool {
                let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
                #expect(copy >= 0)
                copies.withLock { $0.append(copy) }
                return true
            }

            func take() -> [Int32] {
                copies.withLock { copies in
                    defer { copies = [] }
                    return copies
                }
            }
        }

        private func server(keeper: Keeper, workers: Int = 2, limits: Limits = .quick) throws -> TestResponder {
            try TestResponder(workers: workers, limits: limits, keeper: { keeper.keep($0) })
        }

        @Test("idle, new and busy connections are handed over without losing data")
        func handedOver() throws {
            let keeper = Keeper()
            let first = try server(keeper: keeper)
            let (idle, silent, busy, lingering) = (
                try first.connect(), try first.connect(), try first.connect(), try first.connect()
            )
            _ = try idle.exchange(FastCGIWire.request())
            #expect(Eventually.holds { first.responder.openConnections == 4 })
            try busy.send(FastCGIWire.request("/held"))
            try lingering.send(FastCGIWire.request(keep: false))
            #expect(try lingering.answer().text == TestResponder.expected("/echo:"))
            #expect(try lingering.isEnded())
            first.held.arrive()
            first.responder.shutDown()
            first.held.release()
            first.stop()
            // The running request was answered before.
            #expect(try busy.answer().text == TestResponder.expected("/held:"))
            #expect(keeper.count == 3)
            // Requests that are sent while no process serves are answered later.
            try idle.send(FastCGIWire.request(body: [67]))
            try silent.send(Array(FastCGIWire.request(body: [68]).prefix(30)))
            let second = try server(keeper: Keeper())
            for copy in keeper.take() {
                let isAdopted = second.responder.adopt(FileDescriptor(takingOwnership: copy))
                #expect(isAdopted)
            }
            #expect(try idle.answer().text == TestResponder.expected("/echo:C"))
            try silent.send(Array(FastCGIWire.request(body: [68]).dropFirst(30)))
            #expect(try silent.answer().text == TestResponder.expected("/echo:D"))
            #expect(try busy.exchange(FastCGIWire.request(body: [69])).text == TestResponder.expected("/echo:E"))
            second.stop()
        }

        @Test("a partial request is completed and answered before its connection is handed over")
        func half() throws {
            let keeper = Keeper()
            let server = try server(keeper: keeper)
            let peer = try server.connect()
            let request = FastCGIWire.request(body: [65, 66])
            try peer.send(Array(request[..<30]))
            #expect(
                Eventually.holds { server.responder.openConnections == 1 && !server.hasIdleConnection }
            )
            let idle = try server.connect()
            #expect(Eventually.holds { server.responder.openConnections == 2 })
            server.responder.shutDown()
            #expect(Eventually.holds { keeper.count == 1 }, "the idle connection")
            #expect(try peer.exchange(Array(request[30...])).text == TestResponder.expected("/echo:AB"))
            server.stop()
            #expect(keeper.count == 2)
            for copy in keeper.take() { close(copy) }
            #expect(try peer.isEnded())
            #expect(try idle.isEnded())
        }

        @Test("a request that no worker has taken is handed over and answered by the next process")
        func whole() throws {
            let keeper = Keeper()
            let isBusy = Monitor(false)
            let mayAnswer = Atomic(false)
            let handler: Responder.Handler = { request, answer in
                isBusy.change { $0 = true }
                // Waits without a BlockingSection.
                _ = Eventually.holds { mayAnswer.load(ordering: .relaxed) }
                TestResponder.answer(request, into: &answer)
            }
            let first = try TestResponder(workers: 1, keeper: { keeper.keep($0) }, handler: handler)
            let (waiting, busy) = (try first.connect(), try first.connect())
            #expect(Eventually.holds { first.responder.openConnections == 2 })
            try busy.send(FastCGIWire.request())
            isBusy.wait { $0 ? () : nil }
            try waiting.send(FastCGIWire.request(body: [65]))
            first.responder.shutDown()
            #expect(Eventually.holds { keeper.count == 1 })
            let second = try server(keeper: Keeper())
            for copy in keeper.take() { second.responder.adopt(FileDescriptor(takingOwnership: copy)) }
            #expect(try waiting.answer().text == TestResponder.expected("/echo:A"))
            mayAnswer.store(true, ordering: .relaxed)
            #expect(try busy.answer().text == TestResponder.expected("/echo:"))
            first.stop()
        }

        @Test("if the keeper fails, a partial request is completed and answered")
        func halfWithoutKeeper() throws {
            let server = try TestResponder(keeper: { _ in false })
            let peer = try server.connect()
            let request = FastCGIWire.request(body: [65, 66])
            try peer.send(Array(request[..<30]))
            #expect(
                Eventually.holds { server.responder.openConnections == 1 && !server.hasIdleConnection }
            )
            let idle = try server.connect()
            server.responder.shutDown()
            #expect(try idle.isEnded())
            #expect(try peer.exchange(Array(request[30...])).text == TestResponder.expected("/echo:AB"))
            #expect(try peer.isEnded())
            server.stop()
        }

        @Test("if the keeper fails, the connection of a request that stays incomplete is closed")
        func neverWhole() throws {
            var limits = Limits.quick
            limits.drain = .milliseconds(300)
            let server = try TestResponder(limits: limits, keeper: { _ in false })
            let peer = try server.connect()
            try peer.send(Array(FastCGIWire.request().prefix(20)))
            #expect(
                Eventually.holds { server.responder.openConnections == 1 && !server.hasIdleConnection }
            )
            server.stop()
            #expect(try peer.isEnded())
        }

        @Test("a response is sent completely before its connection is handed over")
        func reader() throws {
            let keeper = Keeper()
            let server = try server(keeper: keeper)
            let peer = try server.connect()
            try peer.send(FastCGIWire.request("/large/3000000"))
            #expect(peer.hasSomethingToRead())
            let idle = try server.connect()
            #expect(Eventually.holds { server.responder.openConnections == 2 })
            server.responder.shutDown()
            #expect(Eventually.holds { keeper.count == 1 }, "the idle connection")
            #expect(try peer.answer().byteCount > 3_000_000)
            server.stop()
            #expect(keeper.count == 2)
            for copy in keeper.take() { close(copy) }
            #expect(try peer.isEnded())
            #expect(try idle.isEnded())
        }

        @Test("a keeper that fails is called once, and the connections are closed")
        func failing() throws {
            let asked = Atomic(0)
            let server = try TestResponder(
                workers: 1,
                keeper: { _ in
                    asked.add(1, ordering: .relaxed)
                    return false
                })
            let peers = try (0..<5).map { _ in try server.connect() }
            for peer in peers { _ = try peer.exchange(FastCGIWire.request()) }
            server.stop()
            #expect(asked.load(ordering: .relaxed) == 1)
            for peer in peers { #expect(try peer.isEnded()) }
        }

        @Test("an adopted descriptor that is closed by the peer or is not a socket is closed")
        func dead() throws {
            let server = try TestResponder()
            let pair = try SocketPair()
            let near = pair.giveFarEnd { far in
                let isAdopted = server.responder.adopt(far)
                #expect(isAdopted)
            }
            #expect(server.responder.openConnections == 1)
            _ = consume near
            #expect(Eventually.holds { server.responder.openConnections == 0 })
            let file = FileDescriptor(takingOwnership: open("/dev/null", O_RDONLY | O_CLOEXEC))
            let isAdopted = server.responder.adopt(file)
            #expect(!isAdopted)
            #expect(server.responder.openConnections == 0)
        }

        @Test("adopted connections count towards the limit, connections of this process do not")
        func limit() throws {
            var limits = Limits.quick
            limits.connections = 2
            let server = try TestResponder(limits: limits)
            let peers = try (0..<2).map { _ in try server.connect() }
            for peer in peers { _ = try peer.exchange(FastCGIWire.request()) }
            let refused = try SocketPair().giveFarEnd { far in
                let isAdopted = server.responder.adopt(far)
                #expect(!isAdopted)
            }
            let isEnded = refused.waitUntilReadable(milliseconds: 5000)
            #expect(isEnded)
            let own = try SocketPair().giveFarEnd { far in
                let isAdopted = server.responder.adopt(far, isOwn: true)
                #expect(isAdopted)
            }
            let answer = try Client(path: "/echo").ask(over: own, until: .now + .seconds(10))
            #expect(answer == ClientResponse(status: 200, body: Array("/echo:".utf8)))
        }

        @Test("no request is lost during many restarts under load", arguments: [1, 4])
        func underLoad(_ workers: Int) throws {
            let path = TestResponder.freshPath()
            let listener = try Listener.unix(path: path)
            let keeper = Keeper()
            let isOver = Atomic(false)
            let answered = Atomic(0)
            let threads = try (0..<6).map { index in
                let peer = try FastCGIPeer(.unix(path))
                let kept = Kept(peer: peer)
                return try Thread.spawn(name: "client") {
                    while !isOver.load(ordering: .relaxed) {
                        do {
                            let answer = try kept.peer.exchange(FastCGIWire.request(body: [65, UInt8(66 + index)]))
                            #expect(answer.text.hasSuffix(":A" + String(UnicodeScalar(UInt8(66 + index)))))
                            answered.add(1, ordering: .relaxed)
                        } catch {
                            Issue.record(error)
                            return
                        }
                    }
                }
            }
            for _ in 0..<25 {
                let copy = FileDescriptor(takingOwnership: fcntl(listener.descriptor.number, F_DUPFD_CLOEXEC, 0))
                let responder = try Responder(
                    listener: try Listener.adopt(copy), workers: workers, limits: .quick,
                    keeper: { keeper.keep($0) }, handler: TestResponder.answer)
                let thread = try Thread.spawn(name: "responder") { try! responder.run() }
                for copy in keeper.take() { responder.adopt(FileDescriptor(takingOwnership: copy)) }
                let before = answered.load(ordering: .relaxed)
                #expect(Eventually.holds { answered.load(ordering: .relaxed) > before + 50 })
                responder.shutDown()
                thread.join()
            }
            isOver.store(true, ordering: .relaxed)
            // The last responder answers the requests that are still pending.
            let last = try Responder(listener: listener, workers: 1, limits: .quick, handler: TestResponder.answer)
            let thread = try Thread.spawn(name: "responder") { try! last.run() }
            for copy in keeper.take() { last.adopt(FileDescriptor(takingOwnership: copy)) }
            for thread in threads { thread.join() }
            last.shutDown()
            thread.join()
        }

        /// Each peer is used by one thread only.
        private struct Kept: @unchecked Sendable {
            let peer: FastCGIPeer
        }
    }
}
