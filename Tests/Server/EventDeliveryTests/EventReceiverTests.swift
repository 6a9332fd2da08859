import Curl
import EventDelivery
import Gatehouse
import StandardWebhooks
import Testing

@Suite("A receiver of events")
struct EventReceiverTests {
    private func receiver(_ url: String, permitsPrivateAddresses: Bool = false) throws -> EventReceiver {
        let secrets = try WebhookSecrets("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        return EventReceiver(
            name: "billing", url: url, secrets: secrets, permitsPrivateAddresses: permitsPrivateAddresses)
    }

    @Test(
        "is reached at public addresses, unless its URL names a private one or its settings permit them",
        arguments: [
            ("https://example.com/", .publicOnly, .any), ("https://8.8.8.8/", .publicOnly, .any),
            ("https://localhost/", .privateOnly, .privateOnly), ("https://10.0.0.1/", .privateOnly, .privateOnly),
            ("https://[fd00::1]/", .privateOnly, .privateOnly), ("http://127.0.0.1/", .privateOnly, .privateOnly),
            ("http://internal.example/", .privateOnly, .privateOnly), ("https://2130706433/", .publicOnly, .any),
            ("https://localhost.example.com/", .publicOnly, .any),
        ] as [(String, AddressPolicy, AddressPolicy)])
    func addresses(url: String, refused: AddressPolicy, permitted: AddressPolicy) throws {
        #expect(try receiver(url).addresses == refused)
        #expect(try receiver(url, permitsPrivateAddresses: true).addresses == permitted)
        #expect(try receiver(url).client(timeout: .seconds(1)).addresses == refused)
    }

    @Test("has a client that reads 64 KiB of an answer and no more")
    func client() throws {
        let client = try receiver("https://example.com/").client(timeout: .seconds(7))
        #expect(client.largestBody == 65_536 && client.cutsLongBodies && client.timeout == .seconds(7))
    }

    @Test(
        "cannot be reached for a reason that an operator can act on",
        arguments: [
            (.privateAddress, .privateAddress), (.publicAddress, .publicAddress),
            (.transport(code: 6, name: "no name"), .name("no name (curl 6)")),
            (.transport(code: 60, name: "untrusted"), .security("untrusted (curl 60)")),
            (.transport(code: 7, name: "refused"), .unreachable("refused (curl 7)")),
            (.transport(code: 28, name: "late"), .timeout),
            (.tooLarge(limit: 1), .unreachable("the response is longer than 1 bytes")),
        ] as [(HTTPFault, ReceiverFault)])
    func faults(fault: HTTPFault, reason: ReceiverFault) {
        #expect(ReceiverFault(fault) == reason)
    }

    @Test("is probed at an address that its settings permit")
    func probe() throws {
        #expect(throws: ReceiverFault.privateAddress) { try receiver("https://2130706433:1/").probe() }
        #expect(
            performing: { try receiver("https://2130706433:1/", permitsPrivateAddresses: true).probe() },
            throws: { if case .unreachable? = $0 as? ReceiverFault { true } else { false } })
        #expect(throws: ReceiverFault.publicAddress) { try receiver("http://192.0.0.9/").probe() }
    }
}
