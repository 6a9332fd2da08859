import DevelopmentHTTP
import JOSE
import JSON
import TestSupport
import Testing

@testable import StandIn

@Suite("The discovery document and the keys of a provider")
struct DiscoveryTests {
    private let providers: StandInFixture

    init() throws {
        providers = try StandInFixture()
    }

    private static let discovery = "/openid/example/.well-known/openid-configuration"
    private static let keys = "/openid/example/keys"

    @Test("the keys may be cached for as long as Google's, unless another time or none is set")
    func caching() throws {
        func header() throws -> [String] { try providers.get(Self.keys).fields.map { "\($0.name): \($0.value)" } }
        #expect(try header() == ["Cache-Control: public, max-age=19800, must-revalidate, no-transform"])
        try providers.order(Self.keys + "/faults", ["maxAge": 1])
        #expect(try header() == ["Cache-Control: public, max-age=1, must-revalidate, no-transform"])
        try providers.order(Self.keys + "/faults", ["maxAge": nil])
        #expect(try header().isEmpty)
    }

    @Test("a key for EdDSA is published once a token asks for it")
    func edDSA() throws {
        #expect(try providers.keySet().count == 2)
        #expect(try providers.token("example", ["alg": "EdDSA"]).algorithmName == "EdDSA")
        #expect(try providers.keySet().count == 3)
        let algorithms = try providers.json(Self.discovery)["id_token_signing_alg_values_supported"]
        #expect(algorithms == ["RS256", "ES256", "EdDSA"])
    }

    @Test("old tokens verify after a rotation, but not after a turnover; new ones always do")
    func rotation() throws {
        let old = try providers.token()
        try providers.order(Self.keys + "/rotate")
        #expect(try providers.token().keyID != old.keyID)
        try old.verify(with: try #require(try providers.keySet()[old.keyID ?? ""]))
        try providers.order(Self.keys + "/turnover")
        #expect(try providers.keySet()[old.keyID ?? ""] == nil)
        _ = try providers.token()
    }

    @Test("keys are the same after a restart")
    func restart() throws {
        let before = try providers.keySet().keyIDs
        var again = providers
        try again.restart()
        #expect(try again.keySet().keyIDs == before)
    }

    private func counts(_ discovery: Int64, _ keys: Int64) -> JSONObject {
        ["discovery": .integer(discovery), "keys": .integer(keys), "authorize": 0, "token": 0]
    }

    @Test("requests for the document and for the keys are counted for each provider")
    func counts() throws {
        _ = try providers.get(Self.discovery)
        for _ in 0..<2 { _ = try providers.get(Self.keys) }
        _ = try providers.get("/openid/google/keys")
        try providers.order(Self.keys + "/faults", ["keys": "close"])
        #expect(providers.reply("GET", Self.keys) == nil)
        #expect(try providers.json("/openid/example/requests") == counts(1, 3))
        #expect(try providers.json("/openid/google/requests") == counts(0, 1))
        _ = try providers.service.control("/openid/example/requests", method: "DELETE")
        #expect(try providers.json("/openid/example/requests") == counts(0, 0))
        #expect(try providers.json("/openid/google/requests") == counts(0, 1))
    }

    @Test(
        "a path that is no name of a provider is not found, and creates none",
        arguments: [
            "/openid/", "/openid/example", "/openid/Example/keys", "/openid/../keys", "/openid/1x/keys",
            "/openid//keys", "/openid/example/keys/", "/openid/example/x",
            "/openid/\(String(repeating: "a", count: 33))/keys",
        ])
    func unknown(path: String) throws {
        #expect(try providers.get(path).status == "404 Not Found")
    }
}
