import Testing

@testable import Gatehouse

@Suite("Peers that need no token")
struct ServicePeerTests {
    private func name(_ access: ServiceAccess, _ user: UInt32, forwards: Bool) -> String? {
        access.name(of: ServiceAccess.Peer(user: user, forwards: forwards))
    }

    /// A web server of root's forwards requests of every user of the machine.
    @Test("Root needs none for requests of its own, and its web server only where root is named")
    func root() {
        #expect(name(ServiceAccess(), 0, forwards: false) == "user:root")
        #expect(name(ServiceAccess(), 0, forwards: true) == nil)
        #expect(name(ServiceAccess(users: [1: "daemon"]), 0, forwards: true) == nil)
        #expect(name(ServiceAccess(users: [0: "root"]), 0, forwards: true) == "user:root")
    }

    @Test("Another user needs none where the settings name it, also for what it forwards")
    func others() {
        for forwards in [false, true] {
            #expect(name(ServiceAccess(users: [1: "daemon"]), 1, forwards: forwards) == "user:daemon")
            #expect(name(ServiceAccess(users: [1: "daemon"]), 2, forwards: forwards) == nil)
            #expect(name(ServiceAccess(), 1, forwards: forwards) == nil)
        }
    }
}
