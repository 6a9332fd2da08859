import FileSystem
import Gatehouse
import OpenSSL
import Testing

@testable import GatehouseServer

@Suite("The settings of services")
struct ServiceSettingsTests {
    private static let first = "k9Vh2mQxT4bLr7Wc1ZpE6sYdN8fGjA3u"
    private static let second = "Tq5Hn0RwJ8vKx2LzD6cMg9PbF4yStU7e"

    private func tokens(_ text: String) throws -> [ServiceToken] {
        try TestConfiguration.read(["SERVICE_TOKENS": text]).policy.services.tokens
    }

    private func faults(_ text: String) -> [String] {
        TestConfiguration.faults(["SERVICE_TOKENS": text]).map(\.description)
    }

    @Test("a line is a name and a token, and only a hash of the token is kept")
    func lines() throws {
        let text = "# a comment\n\n  shop\t \(Self.first)  \r\nknowledge-base-2 \(Self.second)\n#shop x"
        let expected = [("shop", Self.first), ("knowledge-base-2", Self.second)]
            .map { ServiceToken(service: $0, hash: SHA256.hash(Array($1.utf8))) }
        #expect(try tokens(text) == expected)
        #expect(try tokens("shop \(Self.first)\nshop \(Self.second)").map(\.service) == ["shop", "shop"], "both count")
        #expect(try tokens("# none") == [] && TestConfiguration.read().policy.services == ServiceAccess())
    }

    @Test(
        "a faulty line is named by its number, and never shown",
        arguments: [
            ("shop", "line 2 must be a name, a space and a token"),
            ("shop TOKEN more", "line 2 must be a name, a space and a token"),
            ("Shop TOKEN", "line 2 must begin with a name"), ("user:root TOKEN", "line 2 must begin with a name"),
            ("shöp TOKEN", "line 2 must begin with a name"),
            ("a234567890b234567890c234567890d23 TOKEN", "line 2 must begin with a name"),
            ("TOKEN shop", "line 2 must begin with a name"),
            ("shop k9Vh2mQxT4bLr7Wc1ZpE6sYdN8fGjA3", "line 2 must have a token of 32 to 256 visible ASCII characters"),
            ("shop k9Vh2mQxT4bLr7Wc1ZpE6sYdN8fGjA3ü", "line 2 must have a token of 32 to 256 visible ASCII characters"),
            ("shop k9Vh2mQxT4bLr7Wc1ZpE6sYdN8fGjA3\u{7F}", "line 2 must have a token of 32"),
            ("shop " + String(repeating: first, count: 9), "line 2 must have a token of 32"),
            ("shop changeme-changeme-changeme-changeme", "line 2 has a token that is not random"),
            ("shop xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "line 2 has a token that is not random"),
            ("other FIRST", "line 2 has the token of line 1"),
        ])
    func faulty(_ line: String, _ message: String) {
        let line = line.replacing("TOKEN", with: Self.second).replacing("FIRST", with: Self.first)
        let found = faults("shop \(Self.first)\n" + line)
        #expect(found.count == 1 && found[0].hasPrefix("SERVICE_TOKENS " + message), "\(found)")
        #expect(!found.joined().contains(Self.second) && !found.joined().contains(Self.first))
    }

    @Test("a token must differ from every other secret")
    func shared() {
        let found = faults("shop \(TestConfiguration.accessSecret)")
        #expect(found == ["SERVICE_TOKENS line 1 must differ from JWT_ACCESS_SECRET"])
    }

    @Test("users are named by name or number; one that does not exist, and nobody, are faults")
    func users() throws {
        let users = try TestConfiguration.read(["SERVICE_USERS": "daemon, 54321"]).policy.services.users
        #expect(users == [1: "daemon", 54321: "54321"])
        for (value, message) in [
            ("no-such-user", "is no user of this machine"), ("daemon,no-such-user", "entry 2 is no user"),
            ("nobody", "is the user nobody"), ("65534", "is the user nobody"), ("daemon,", "must be a list"),
            ("-1", "is no user"),
        ] {
            let faults = TestConfiguration.faults(["SERVICE_USERS": value]).map(\.description)
            #expect(faults.count == 1 && faults[0].hasPrefix("SERVICE_USERS " + message), "\(value): \(faults)")
        }
    }

    @Test(
        "a user namespace maps ranges of users",
        arguments: [
            ("         0          0 4294967295\n", 33, true), ("0 1000 1\n999 999 1\n", 33, false),
            ("0 1000 1\n999 999 1\n", 999, true), ("0 1000 1\n999 999 1\n", 1000, false), ("", 33, true),
        ] as [(String, UInt32, Bool)])
    func namespaces(_ map: String, _ user: UInt32, _ isSeen: Bool) {
        #expect(UserNamespace(map: map).contains(user) == isSeen)
    }
}
