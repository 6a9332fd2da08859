import Foundation
import Processes
import Testing

@testable import FastCGI
@testable import TestSupport

extension SocketTests {
    /// GATEHOUSE_MUTATIONS sets the number of streams. A failure names the seed of its stream.
    @Suite("Mutated requests", .timeLimit(.minutes(60))) struct MutationTests {
        private static let count =
            ProcessInfo.processInfo.environment["GATEHOUSE_MUTATIONS"].flatMap(Int.init) ?? 20_000

        private static var openDescriptors: Int {
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1
        }

        /// Other suites run concurrently and open some descriptors temporarily.
        private func expectNoMoreDescriptors(than before: Int) {
            #expect(Eventually.holds { Self.openDescriptors <= before + 20 })
        }

        @Test(
            "libfcgi reads every request that PeekedInput accepts without failing, blocking or misreading it"
        )
        func directly() throws {
            let before = Self.openDescriptors
            let worker = DirectWorker()
            for seed in 0..<Self.count * 3 / 4 {
                var mutator = RequestMutator(seed: UInt64(seed))
                try worker.serve(mutator.next(), "seed \(seed)")
            }
            #expect(worker.served > Self.count / 50, "some streams are still valid requests")
            #expect(worker.refused > Self.count / 50, "some streams are invalid")
            expectNoMoreDescriptors(than: before)
        }

        @Test("a server answers valid requests between mutated ones, and closes all connections")
        func served() throws {
            let before = Self.openDescriptors
            try serve()
            expectNoMoreDescriptors(than: before)
        }

        private func serve() throws {
            var limits = Limits.quick
            (limits.incompleteFor, limits.lingerFor) = (.milliseconds(20), .milliseconds(20))
            limits.sweepEvery = .milliseconds(5)
            let server = try TestResponder(workers: 4, limits: limits)
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
                        == TestResponder.expected("/echo:B"))
                // Every connection ends, with any response.
                for peer in peers { while (try? peer.record()) != nil {} }
            }
            #expect(Eventually.holds { server.responder.openConnections == 0 })
        }
    }
}

/// Handles a stream as a worker does, on the thread of the test.
private final class DirectWorker {
    private(set) var served = 0
    private(set) var refused = 0
    private let request = FCGXRequest()
    private var buffer = PeekedInput.buffer()

    /// Serves the requests of the stream, as long as the connection is kept.
    func serve(_ bytes: [UInt8], _ name: Comment) throws {
        let connection = try DirectConnection()
        connection.send(bytes)
        connection.endSending()
        do throws(ProtocolFault) {
            while case .request(let body) = try connection.look(&buffer) {
                guard answer(body, on: connection, name) else { return }
                served += 1
            }
        } catch {
            refused += 1
        }
    }

    /// Returns whether the connection is kept.
    private func answer(_ expected: PeekedInput.Body, on connection: DirectConnection, _ name: Comment)
        -> Bool
    {
        guard connection.begin(request) else {
            Issue.record("libfcgi rejects a request that PeekedInput accepts, \(name)")
            return false
        }
        _ = Parameters(request: request)["DOCUMENT_URI"]
        let body = expected.isTooLarge ? [] : request.readBody(length: expected.length)
        if !expected.isTooLarge { #expect(body.count == expected.length, name) }
        let isLast =
            expected.isTooLarge || expected.isPadded || request.hasReadAhead || !request.keepsConnection
        #expect(connection.end(request, with: Array("Status: 200\r\n\r\nanswer".utf8)), name)
        #expect(
            (try? ClientResponse(readingRecords: connection.received(), longest: 100))?.status == 200, name)
        return !isLast
    }
}
