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
            (.transport(code: 6, name: "no name"), .name("no name (curl 6); look at this machine or its network")),
            (.transport(code: 60, name: "untrusted"), .security("untrusted (curl 60); look at the other side")),
            (
                .transport(code: 7, name: "refused"),
                .unreachable("refused (curl 7); look at the network between, or the other side")
            ),
            (.transport(code: 28, name: "late"), .timeout),
            (.tooLarge(limit: 1), .unreachable("the response is longer than 1 bytes; look at the other side")),
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

@Suite("The URL of a receiver")
struct ReceiverURLTests {
    @Test(
        "is https or http with a host and, optionally, a port",
        arguments: [
            "https://example.com", "https://example.com/", "https://a-b.example.com:8443/events?token=x@y", "http://a",
            "https://EXAMPLE.com/a:b@c", "https://[2001:db8::1]:443/", "https://[::1]", "http://127.0.0.1:9000/x",
            "https://my_service/", "https://example.com?x", "https://xn--bcher-kva.example/",
        ])
    func valid(text: String) throws {
        #expect(try ReceiverURL(text).text == text)
    }

    @Test(
        "is nothing else",
        arguments: [
            "", "https://", "https:///x", "http://:80/", "example.com", "HTTPS://example.com", "ftp://example.com/",
            "https://example.com:/", "https://example.com:0", "https://example.com:65536", "https://example.com:+1",
            "https://example.com:80:80", "https://exa mple.com/", "https://example.com/a b", "https://example.com/\n",
            "https://bücher.example/", "https://example.com\\x", "https://%65xample.com/", "https://[::1", "https://[]",
            "https://[127.0.0.1]/", "https://[::1]x/", "https://::1/", "https://[fe80::1%25eth0]/", "https:example.com",
            "https://example.com\0/",
        ])
    func invalid(text: String) {
        #expect(throws: ReceiverURL.Fault.notAURL) { try ReceiverURL(text) }
    }

    @Test(
        "has no user name and no password",
        arguments: [
            "https://user@example.com/", "https://user:secret@example.com/", "https://@example.com",
            "https://127.0.0.1:80@example.com/", "https://a@b@example.com/", "http://localhost@example.com",
        ])
    func userInformation(text: String) {
        #expect(throws: ReceiverURL.Fault.hasUserInformation) { try ReceiverURL(text) }
    }

    @Test(
        "has no fragment", arguments: ["https://example.com/#", "https://example.com#a", "https://example.com/?a#b@c"])
    func fragment(text: String) {
        #expect(throws: ReceiverURL.Fault.hasFragment) { try ReceiverURL(text) }
    }

    @Test(
        "says whether its host is this machine, private or public",
        arguments: [
            ("http://localhost/", true, true, false), ("http://127.0.0.1:80", true, true, false),
            ("https://127.9.9.9/", true, true, false), ("https://[::1]:1", true, true, false),
            ("https://10.0.0.1/", false, true, false), ("https://[fd00::1]/", false, true, false),
            ("https://[::ffff:127.0.0.1]/", false, true, false), ("https://0.0.0.0/", false, true, false),
            ("https://8.8.8.8/", false, false, true), ("https://[2606:4700::1]/", false, false, true),
            ("https://example.com/", false, false, false), ("https://127.0.0.1.example.com/", false, false, false),
            ("https://2130706433/", false, false, false), ("https://0x7f.1/", false, false, false),
            ("https://LOCALHOST/", false, false, false),
        ])
    func host(text: String, isOfThisMachine: Bool, isPrivate: Bool, isPublic: Bool) throws {
        let url = try ReceiverURL(text)
        #expect(url.isOfThisMachine == isOfThisMachine)
        #expect(url.namesPrivateHost == isPrivate && url.namesPublicAddress == isPublic)
    }
}
