import Gatehouse
import JSON
import POSIX
import Testing

@testable import Curl
@testable import IdentityProviders

/// oidcc-client-test-discovery-issuer-mismatch and its neighbours.
@Suite("The discovery of an OpenID provider's keys")
struct DiscoveryTests {
    private static let issuer = OpenIDLogin.issuer
    private static let keys = "https://keys.op.example/jwks"
    private let asked = Monitor<[String]>([])

    /// The documents by address. Any other address has the status 404.
    private func fetch(
        _ issuer: String, _ documents: [String: (status: Int, body: String)]
    ) -> Result<[UInt8], KeySetFault> {
        let source = ProviderKeys.source(of: .discovery(issuer: issuer)) { [asked] url in
            asked.change { $0.append(url) }
            let document = documents[url] ?? (404, "")
            return HTTPResponse(status: document.status, body: Array(document.body.utf8))
        }
        return Result { () throws(KeySetFault) in try source() }
    }

    private func metadata(_ issuer: JSONValue?, _ keys: JSONValue?) -> String {
        TestToken.changed([:], [("issuer", issuer), ("jwks_uri", keys), ("token_endpoint", "https://x.example")])
            .description
    }

    private func fault(_ metadata: String, status: Int = 200, issuer: String = issuer) -> String? {
        let address = issuer + "/.well-known/openid-configuration"
        let result = fetch(issuer, [address: (status, metadata), Self.keys: (200, "the keys")])
        guard case .failure(let fault) = result else { return nil }
        return fault.description
    }

    @Test(
        "the keys are those that the issuer's metadata names",
        arguments: ["https://op.example/realm", "https://op.example/realm/", "https://op.example"])
    func found(issuer: String) throws {
        let address = (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
        let result = fetch(
            issuer, [address: (200, metadata(.string(issuer), .string(Self.keys))), Self.keys: (200, "the keys")])
        #expect(try result.get() == Array("the keys".utf8))
        #expect(asked.change { $0 } == [address, Self.keys])
    }

    @Test(
        "metadata of another issuer is refused, and both are named",
        arguments: [
            "https://op.example/realm/", "https://op.example", "https://OP.example/realm", "http://op.example/realm",
            "https://forger.example",
        ])
    func issuerMismatch(named: String) {
        let expected = "the metadata at https://op.example/realm name another issuer: \(named)"
        #expect(fault(metadata(.string(named), .string(Self.keys))) == expected)
        #expect(asked.change { $0.count } == 1, "its keys are not fetched")
    }

    @Test(
        "an issuer that could contain a secret or harm the log is not shown",
        arguments: [
            "https://user:secret@op.example", "https://op.example?key=secret", "https://op.example#secret", "a b",
            "a\nb", "a\"b", "é", String(repeating: "a", count: 201),
        ])
    func hidden(named: String) {
        let expected = "the metadata at https://op.example/realm name another issuer: (not a plain URL)"
        #expect(fault(metadata(.string(named), .string(Self.keys))) == expected)
    }

    @Test(
        "metadata without an issuer is refused",
        arguments: [nil, .null, 7, ["https://op.example/realm"]] as [JSONValue?])
    func noIssuer(value: JSONValue?) {
        #expect(
            fault(metadata(value, .string(Self.keys))) == "the metadata of https://op.example/realm names no issuer")
    }

    @Test(
        "keys at an address without TLS are refused",
        arguments: [
            nil, .null, 7, "", "http://op.example/jwks", "http://127.0.0.1/jwks", "file:///etc/passwd", "//op.example",
            "https://op.example/a b", "https://op.example/\u{e9}", "ftp://op.example",
        ] as [JSONValue?])
    func keyAddress(value: JSONValue?) {
        let expected = "the metadata of https://op.example/realm names no jwks_uri that begins with https://"
        #expect(fault(metadata(.string(Self.issuer), value)) == expected)
        #expect(asked.change { $0.count } == 1)
    }

    @Test(
        "plain HTTP is accepted only on a loopback address, of issuer and keys",
        arguments: [
            ("http://127.0.0.1:9/x", "http://127.0.0.1:8/keys", true),
            ("http://localhost", "https://op.example/k", true),
            ("http://127.0.0.1:9/x", "http://op.example/keys", false),
            ("http://127.0.0.1:9/x", "http://127.0.0.1@op.example/keys", false),
            ("http://op.example", "https://op.example/keys", false), ("op.example", "https://op.example/keys", false),
        ])
    func loopback(issuer: String, keys: String, isAccepted: Bool) {
        let result = fetch(
            issuer,
            [
                issuer + "/.well-known/openid-configuration": (200, metadata(.string(issuer), .string(keys))),
                keys: (200, ""),
            ])
        #expect((try? result.get()) == (isAccepted ? [] : nil))
        let isAsked = isAccepted || issuer.hasPrefix("http://127")
        #expect(asked.change { $0.count } == (isAccepted ? 2 : isAsked ? 1 : 0))
    }

    private static let privateHosts = [
        "127.0.0.1", "localhost", "LOCALHOST.", "a.localhost", "10.0.0.1", "192.168.1.1:8443", "169.254.169.254",
        "[::1]",
        "[fd00::1]:443", "[::ffff:10.0.0.1]", "user@10.0.0.1", "op.example@127.0.0.1", "[x", "172.16.0.1\\@op.example",
    ]

    @Test(
        "metadata name no private address, so that the server sends no requests into its own network",
        arguments: privateHosts)
    func privateAddress(host: String) {
        let url = "https://\(host)/keys"
        let expected = "the metadata of https://op.example/realm name a private address as jwks_uri"
        #expect(fault(metadata(.string(Self.issuer), .string(url))) == expected)
        #expect(asked.change { $0.count } == 1)
        for name in ["authorization_endpoint", "token_endpoint"] {
            let addresses = ["authorization_endpoint", "token_endpoint"].map {
                "\"\($0)\":\"\($0 == name ? url.replacing("\\", with: "\\\\") : "https://op.example/")\""
            }
            let document = "{\"issuer\":\"\(Self.issuer)\",\(addresses.joined(separator: ","))}"
            #expect(throws: KeySetFault("the metadata of https://op.example/realm name a private address as \(name)")) {
                try OpenIDEndpoints(ProviderMetadata(Array(document.utf8), of: Self.issuer))
            }
        }
    }

    @Test("an issuer at a private address names its own", arguments: ["https://10.0.0.2", "https://localhost/realm"])
    func privateIssuer(issuer: String) {
        let keys = "https://10.0.0.3/keys"
        let address = issuer + "/.well-known/openid-configuration"
        let result = fetch(issuer, [address: (200, metadata(.string(issuer), .string(keys))), keys: (200, "")])
        #expect(result == .success([]))
    }

    @Test("only the status 200 counts", arguments: [201, 204, 301, 302, 304, 404, 500])
    func status(status: Int) {
        let good = metadata(.string(Self.issuer), .string(Self.keys))
        #expect(fault(good, status: status) == "the metadata of the issuer: status \(status)")
        let address = Self.issuer + "/.well-known/openid-configuration"
        let result = fetch(Self.issuer, [address: (200, good), Self.keys: (status, "{}")])
        #expect(result == .failure(KeySetFault("status \(status)")))
    }

    @Test("metadata that is not a JSON object is refused", arguments: ["", "[]", "null", "<html>", "{"])
    func form(document: String) {
        #expect(fault(document) == "the metadata of the issuer is not a JSON object")
    }

    @Test("a failed request is reported without its address")
    func transport() {
        let source = ProviderKeys.source(of: .keySet(url: "https://op.example/?secret")) { (_) throws(HTTPFault) in
            throw HTTPFault.tooLarge(limit: 65_536)
        }
        #expect(throws: KeySetFault("the response is longer than 65536 bytes; look at the other side")) { try source() }
    }

    @Test("a key set with an address of its own needs no metadata")
    func keySet() throws {
        let source = ProviderKeys.source(of: .keySet(url: Self.keys)) { [asked] url in
            asked.change { $0.append(url) }
            return HTTPResponse(status: 200, body: [7])
        }
        #expect(try source() == [7])
        #expect(asked.change { $0 } == [Self.keys])
    }
}
