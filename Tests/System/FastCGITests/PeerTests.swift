import Glibc
import Synchronization
import TestSupport
import Testing

@testable import FastCGI

extension SocketTests {
    @Suite struct PeerTests {
        @Test("the user of a process at a unix socket is known, for each request of a connection")
        func user() throws {
            let users = Mutex<[UInt32?]>([])
            let responder = try TestResponder(handler: { request, answer in
                users.withLock { $0.append(request.peer.user) }
                answer += Array("Status: 204 No Content\r\n\r\n".utf8)
            })
            let peer = try FastCGIPeer(responder.address)
            // The last one arrives in parts, and is read from a copy.
            for size in [65_535, 65_535, 7] { _ = try peer.exchange(FastCGIWire.request(recordSize: size)) }
            #expect(users.withLock { $0 } == [geteuid(), geteuid(), geteuid()])
        }

        @Test("over TCP no user is known")
        func tcp() throws {
            let users = Mutex<[UInt32?]>([])
            let responder = try TestResponder(
                .tcp,
                handler: { request, answer in
                    users.withLock { $0.append(request.peer.user) }
                    answer += Array("Status: 204 No Content\r\n\r\n".utf8)
                })
            _ = try FastCGIPeer(responder.address).exchange(FastCGIWire.request())
            #expect(users.withLock { $0 } == [nil])
        }
    }
}
