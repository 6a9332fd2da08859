import Foundation
import POSIX
import Testing

@testable import FastCGI
@testable import FastCGIClient
@testable import TestSupport

extension SocketTests {
    /// GATEHOUSE_MUTATIONS sets how many streams there are. What fails names the seed of its stream.
    @Suite("Mutated requests", .timeLimit(.minutes(60))) struct MutationTests {
        private static let count =
            ProcessInfo.processInfo.environment["GATEHOUSE_MUTATIONS"].flatMap(Int.init) ?? 20_000

        private static var openDescriptors: Int {
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1
        }

        /// Other suites run at the same time, and open some for a moment.
        private func expectNoMoreDescriptors(than before: Int) {
            #expect(TestServer.eventually { Self.openDescriptors <= before + 20 })
        }

        @Test(
            "no stream that Arrival lets through makes libfcgi fail, wait or read another request than was sent"
        )
        func directly() throws {
            let before = Self.openDescriptors
            let worker = DirectWorker()
            for seed in 0..<Self.count * 3 / 4 {
                var mutator = RequestMutator(seed: UInt64(seed))
                try worker.serve(mutator.next(), "seed \(seed)")
            }
            #expect(worker.served > Self.count / 50, "some streams are still requests")
            #expect(worker.refused > Self.count / 50, "and some are none")
            expectNoMoreDescriptors(than: before)
        }

        @Test("a server answers good requests between mutated ones, and leaves no connection open")
        func served() throws {
            let before = Self.openDescriptors
            try serve()
            expectNoMoreDescriptors(than: before)
        }

        private func serve() throws {
            var limits = Limits.quick
            (limits.incompleteFor, limits.lingerFor) = (.milliseconds(20), .milliseconds(20))
            limits.sweepEvery = .milliseconds(5)
            let server = try TestServer(workers: 4, limits: limits)
            for start in stride(from: 0, to: max(100, Self.count / 4), by: 100) {
                let peers = try (start..<start + 100).map { seed in
                    let peer = try server.connect()
                    var mutator = RequestMutator(seed: UInt64(seed) << 32)
                    try? peer.send(mutator.next())
                    shutdown(peer.descriptor, Int32(SHUT_WR))
                    return peer
                }
                #expect(
                    try server.connect().exchange(FastCGIWire.request(body: [66])).text
                        == TestServer.expected("/echo:B"))
                // Whatever is answered, the connection ends.
                for peer in peers { while (try? peer.record()) != nil {} }
            }
            #expect(TestServer.eventually { server.responder.openConnections == 0 })
        }
    }
}

/// Does with a stream what a worker does, on the thread of the test.
private final class DirectWorker {
    private(set) var served = 0
    private(set) var refused = 0
    private let request = FCGXRequest()
    private var buffer = Arrival.buffer()

    /// Requests of the stream, one after the other as long as the connection is kept.
    func serve(_ bytes: [UInt8], _ name: Comment) throws {
        let connection = try DirectConnection()
        connection.send(bytes)
        connection.endSending()
        do throws(Refusal) {
            while case .request(let body) = try connection.look(&buffer) {
                guard answer(body, on: connection, name) else { return }
                served += 1
            }
        } catch {
            refused += 1
        }
    }

    /// Says whether the connection is kept.
    private func answer(_ expected: Arrival.Body, on connection: DirectConnection, _ name: Comment)
        -> Bool
    {
        guard connection.begin(request) else {
            Issue.record("libfcgi refuses what Arrival lets through, \(name)")
            return false
        }
        _ = Parameters(request: request)["DOCUMENT_URI"]
        let body = expected.isTooLarge ? [] : request.readBody(length: expected.length)
        if !expected.isTooLarge { #expect(body.count == expected.length, name) }
        let isLast =
            expected.isTooLarge || expected.isPadded || request.hasReadAhead || !request.keepsConnection
        #expect(connection.end(request, with: Array("Status: 200\r\n\r\nanswer".utf8)), name)
        #expect(
            (try? ClientAnswer(readingRecords: connection.received(), longest: 100))?.status == 200, name)
        return !isLast
    }
}
