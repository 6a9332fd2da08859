import Curl
import Glibc
import Testing

@Suite("The addresses to which the HTTP client connects")
struct AddressPolicyTests {
    private func client(_ policy: AddressPolicy) -> HTTPClient {
        var client = HTTPClient(timeout: .seconds(20))
        client.addresses = policy
        return client
    }

    @Test(
        "are public ones only, however a private one is written",
        arguments: [
            "127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "017700000001", "0.0.0.0", "0",
            "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
        ], [Method.get, .postJSON])
    func publicOnly(host: String, method: Method) throws {
        let peer = try Peer(Peer.ok(""))
        let url = "http://\(host):\(peer.port)/"
        #expect(throws: HTTPFault.privateAddress) { try method.ask(url, client(.publicOnly)) }
        #expect(throws: HTTPFault.privateAddress) { try client(.publicOnly).connect(url) }
        #expect(peer.requests.isEmpty)
        // The address is one at which the peer does answer.
        _ = try method.ask(url, client(.any))
        _ = try method.ask(url, client(.privateOnly))
        #expect(peer.requests.count == 2)
    }

    @Test(
        "are public ones only, also where nothing listens",
        arguments: [
            "http://[::1]:1/", "https://[::1]:1/", "http://10.0.0.1/", "https://169.254.169.254/latest",
            "http://[fd00::1]/", "https://[fe80::1]/", "http://[64:ff9b::7f00:1]/", "https://[2002:7f00:1::]/",
        ])
    func unreachable(url: String) {
        #expect(throws: HTTPFault.privateAddress) { try client(.publicOnly).get(url) }
    }

    /// These addresses are public by their registration, and no host has them.
    @Test("are private ones only", arguments: ["http://192.0.0.9/", "https://192.0.0.10/", "http://[2001:1::1]/"])
    func privateOnly(url: String) {
        #expect(throws: HTTPFault.publicAddress) { try client(.privateOnly).get(url) }
    }

    @Test("are public ones for an address that another server has named, however it is written, and nothing is sent")
    func named() throws {
        let peer = try Peer(Peer.ok(""))
        for host in ["127.0.0.1", "localhost", "127.1", "2130706433", "[::ffff:7f00:1]"] {
            let url = "http://\(host):\(peer.port)/"
            for server in ["https://192.0.0.9/", "http://[2001:1::1]/"] {
                #expect(throws: HTTPFault.privateAddress) {
                    try client(.any).sending(toAddressNamedBy: server) { (client) throws(HTTPFault) in
                        try client.get(url)
                    }
                }
            }
            _ = try client(.any).sending(toAddressNamedBy: "http://127.0.0.1:1") { (client) throws(HTTPFault) in
                try client.get(url)
            }
        }
        #expect(peer.requests.count == 5, "those of a server on this machine")
    }

    @Test("are not those of a proxy from the environment")
    func proxy() async {
        await #expect(processExitsWith: .success) {
            let proxy = try Peer(Peer.ok(""))
            setenv("https_proxy", "http://127.0.0.1:\(proxy.port)", 1)
            var client = HTTPClient(timeout: .seconds(20))
            #expect(throws: HTTPFault.self) { try client.get("https://192.0.0.9/") }
            // A request without a policy uses the proxy, so the environment is as intended.
            guard proxy.requests.count == 1 else { exit(1) }
            client.addresses = .privateOnly
            do throws(HTTPFault) { _ = try client.get("https://192.0.0.9/") } catch {
                exit(error == .publicAddress && proxy.requests.count == 1 ? 0 : 2)
            }
            exit(3)
        }
    }

    @Test("are named by the fault as what they are")
    func faults() {
        let side = "; look at this machine or its network"
        #expect("\(HTTPFault.privateAddress)" == "the host has a private address" + side)
        #expect("\(HTTPFault.publicAddress)" == "the host has a public address" + side)
        #expect(HTTPFault.privateAddress.stage == .connection)
    }
}
