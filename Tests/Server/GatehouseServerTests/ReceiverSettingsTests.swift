import EventDelivery
import Foundation
import Gatehouse
import GatehouseServer
import StandardWebhooks
import TestSupport
import Testing

@Suite("The settings of receivers")
struct ReceiverSettingsTests {
    private static let secret = FolderFixture.secret
    private static let other = "whsec_b3RoZXItc2VjcmV0LW9mLXRoZS10ZXN0cy0wMTIzNDU2Nzg5"
    private static let events: [String: String?] = ["EVENTS_URL": "https://a.example/", "EVENTS_SECRET": other]

    private func fixture(_ files: [String: String] = [:]) throws -> FolderFixture {
        try FolderFixture(files, in: "receivers.d")
    }

    private func faults(of text: String) throws -> [String] {
        try FolderFixture.faults(of: text, in: "receivers.d").map { $0.replacing("receivers.d/some.conf: ", with: "") }
    }

    @Test("a receiver is a file, and that of EVENTS_URL is the first")
    func receivers() throws {
        let fixture = try fixture([
            "billing.conf": FolderFixture.receiver + "TYPES=user.deleted\nPRIVATE_ADDRESSES=permitted\n",
            "a_1.conf": "URL=http://127.0.0.1:9/x\nSECRET=\(Self.other) \(Self.secret)\n",
        ])
        #expect(try fixture.configuration(["EVENTS_URL": nil]).receivers.map(\.name) == ["a_1", "billing"])
        let receivers = try fixture.configuration(Self.events).receivers
        #expect(receivers.map(\.name) == ["default", "a_1", "billing"])
        #expect(
            receivers.map(\.url) == [
                "https://a.example/", "http://127.0.0.1:9/x", "https://billing.example.com/events",
            ])
        #expect(receivers.map(\.secrets.count) == [1, 2, 1])
        #expect(receivers.map(\.types) == [nil, nil, [.userDeleted]])
        #expect(receivers.map(\.permitsPrivateAddresses) == [false, false, true])
    }

    @Test("without them there is no receiver, and a secret alone is none")
    func none() throws {
        #expect(try TestConfiguration.read().receivers.isEmpty)
        #expect(try TestConfiguration.read(["EVENTS_SECRET": Self.secret]).receivers.isEmpty)
        #expect(try fixture().configuration().receivers.isEmpty)
    }

    @Test(
        "types are a list of types and of groups",
        arguments: [
            ("user.created", [.userCreated]), ("user.created, account.linked", [.userCreated, .accountLinked]),
            ("account.*", [.accountLinked, .accountUnlinked]), ("session.*,session.revoked", [.sessionRevoked]),
            ("user.*", [.userCreated, .userUpdated, .userDeleted, .userDisabled, .userEnabled]),
        ] as [(String, Set<EventType>)])
    func types(text: String, types: Set<EventType>) throws {
        let receivers = try fixture(["a.conf": FolderFixture.receiver + "TYPES=\(text)"]).configuration().receivers
        #expect(receivers.map(\.types) == [types])
    }

    static let faulty: [(line: String, fault: String)] = [
        ("TYPES=user.creatd", "TYPES must be one of user.created, user.updated, "),
        ("TYPES=user.created,Xsecret", "TYPES entry 2 must be one of user.created, "),
        ("TYPES=*", "TYPES must be one of "), ("TYPES=user", "TYPES must be one of "),
        ("TYPES=USER.*", "TYPES must be one of "),
        ("PRIVATE_ADDRESSES=yes", "PRIVATE_ADDRESSES must be one of refused"),
        ("URL=", "URL is required: set it to an https URL"), ("SECRET=", "SECRET is required: set it to whsec_"),
        ("SECRET=Xsecret", "SECRET must be whsec_"), ("SECRET=whsec_YQ==", "SECRET must be whsec_"),
        ("URL=billing.example.com", "URL must be an https URL"), ("URL=https://exa mple/", "URL must be an https URL"),
        ("URL=https://user:Xsecret@example.com/", "URL has a user name or a password"),
        ("URL=https://example.com/#Xsecret", "URL has a fragment"),
        ("URL=http://example.com/", "URL has http to another machine: it needs https, or PRIVATE_ADDRESSES=permitted"),
        ("URL=http://10.0.0.1/", "URL has http to another machine: it needs https, or PRIVATE_ADDRESSES=permitted"),
        ("URL=http://8.8.8.8/", "URL has http to a public address: it needs https"),
    ]

    @Test("a wrong one is named, and its value is not", arguments: faulty)
    func fault(line: String, fault: String) throws {
        let name = line.prefix { $0 != "=" } + "="
        let others = FolderFixture.receiver.split(separator: "\n").filter { !$0.hasPrefix(name) }
        let faults = try faults(of: (others + [Substring(line)]).joined(separator: "\n"))
        #expect(faults.count == 1 && faults[0].hasPrefix(fault), "\(faults)")
        #expect(!faults.joined().contains("Xsecret"))
    }

    @Test(
        "http goes to this machine, and with a permission to other private ones",
        arguments: [
            ("http://localhost:1/", true), ("http://[::1]/", true), ("http://10.0.0.1/", true),
            ("http://internal.example/", true), ("http://8.8.8.8/", false), ("http://[2606:4700::1]/", false),
        ])
    func plainHTTP(url: String, isPermitted: Bool) throws {
        let text = "URL=\(url)\nSECRET=\(Self.secret)\nPRIVATE_ADDRESSES=permitted"
        let expected = isPermitted ? [] : ["URL has http to a public address: it needs https"]
        #expect(try faults(of: text) == expected)
    }

    @Test("EVENTS_URL needs a secret and https")
    func defaultReceiver() {
        func faults(_ changes: [String: String?]) -> [String] {
            TestConfiguration.faults(Self.events.merging(changes) { $1 }).map { String($0.description.prefix(57)) }
        }
        #expect(faults([:]).isEmpty && faults(["EVENTS_URL": "http://127.0.0.1:1/"]).isEmpty)
        #expect(faults(["EVENTS_SECRET": nil]).map { String($0.prefix(24)) } == ["EVENTS_SECRET is missing"])
        #expect(
            faults(["EVENTS_URL": "http://a.example/"]) == [
                "EVENTS_URL has http to another machine: it needs https, o"
            ])
        #expect(faults(["EVENTS_URL": "Xthere"]) == ["EVENTS_URL must be an https URL, or an http URL of this m"])
    }

    @Test("every fault of every file is reported at once, after those of gatehouse.conf and of providers")
    func allAtOnce() throws {
        let fixture = try fixture([
            "a.conf": "URL=Xthere\nKIND=google\nXUNKNOWN=X\n", "B.conf": FolderFixture.receiver,
            "default.conf": FolderFixture.receiver, "e.conf": "WORKERS=1\nTYPES=X,Y\n", "README": "",
        ])
        try FileManager.default.createDirectory(
            atPath: fixture.folder.file("providers.d"), withIntermediateDirectories: true)
        try fixture.write("KIND=qq\nAPP_ID=1", to: "providers.d/qq.conf")
        try fixture.write("WORKERS=Xmany\nEVENT_URL=X\n", to: "gatehouse.conf")
        #expect(
            fixture.faults(["EVENTS_URL": "https://a.example/", "PUBLIC_URL": "Xhere"]).map { String($0.prefix(46)) }
                == [
                    "FOLDER/gatehouse.conf:2 sets an unknown settin", "WORKERS must be a number from 1 to 1024",
                    "PUBLIC_URL must be the https origin that clien", "EVENTS_SECRET is missing: set it to whsec_ and",
                    "providers.d/qq.conf: APP_KEY is required: set ", "receivers.d/B.conf must be named with up to 32",
                    "receivers.d/a.conf:2 sets an unknown setting", "receivers.d/a.conf:3 sets an unknown setting",
                    "receivers.d/a.conf: URL must be an https URL, ", "receivers.d/a.conf: SECRET is required: set it",
                    "receivers.d/default.conf has the name of the r", "receivers.d/e.conf:1 WORKERS belongs in gateho",
                    "receivers.d/e.conf: URL is required: set it to", "receivers.d/e.conf: SECRET is required: set it",
                    "receivers.d/e.conf: TYPES entry 1 must be one ", "receivers.d/e.conf: TYPES entry 2 must be one ",
                ])
    }

    @Test("the name default is free without EVENTS_URL")
    func nameOfDefault() throws {
        let fixture = try fixture(["default.conf": FolderFixture.receiver])
        #expect(try fixture.configuration().receivers.map(\.name) == ["default"])
        #expect(try fixture.configuration().warnings.isEmpty)
    }

    @Test("two services with the same secret are a warning that does not contain it")
    func sharedSecrets() throws {
        let fixture = try fixture([
            "a.conf": FolderFixture.receiver, "b.conf": "URL=https://b\nSECRET=\(Self.other) \(Self.secret)",
            "c.conf": "URL=https://c\nSECRET=whsec_Nd7YkTq9EwRu1ShXv5PiAz8CgJb2LfOm",
        ])
        let sms: [String: String?] = ["SMS_URL": "https://s", "SMS_SECRET": Self.other, "PHONE_COUNTRIES": "CN"]
        let warnings = try fixture.configuration(Self.events.merging(sms) { $1 }).warnings
        #expect(
            warnings.map { $0.components(separatedBy: ":")[0] } == [
                "SMS_SECRET and EVENTS_SECRET have the same secret", "SMS_SECRET and receiver b have the same secret",
                "EVENTS_SECRET and receiver b have the same secret", "receiver a and receiver b have the same secret",
            ])
        #expect(!warnings.joined().contains("whsec_"))
    }
}
