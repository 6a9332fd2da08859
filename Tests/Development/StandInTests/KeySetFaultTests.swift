import DevelopmentHTTP
import JOSE
import JSON
import Testing

@testable import StandIn

@Suite("Faults of a provider's document and keys")
struct KeySetFaultTests {
    private let providers: StandInFixture

    init() throws {
        providers = try StandInFixture()
    }

    private static let discovery = "/openid/example/.well-known/openid-configuration"
    private static let keys = "/openid/example/keys"

    private func set(_ faults: JSONObject) throws { try providers.order(Self.keys + "/faults", faults) }

    private func members() throws -> [JSONObject] {
        try #require(try providers.json(Self.keys)["keys"]?.array?.compactMap(\.object))
    }

    @Test("five unusable keys come before the good ones")
    func unusable() throws {
        try set(["keys": "unusable"])
        let set = try providers.keySet()
        #expect(set.skipped.count == 5 && set.count == 2)
        #expect(try members().count == 7)
        _ = try providers.token()
    }

    @Test("each good key is between two others with its key id")
    func namesakes() throws {
        let good = try members()
        try set(["keys": "duplicateKid"])
        let all = try members()
        #expect(all.count == 3 * good.count)
        for (index, jwk) in good.enumerated() {
            let three = all[(3 * index)..<(3 * index + 3)]
            #expect(three.allSatisfy { $0["kid"] == jwk["kid"] && $0["kty"] == jwk["kty"] })
            #expect(three.map { $0 == jwk } == [false, true, false])
        }
    }

    @Test("keys have no key id, and a token has none if the order removes it")
    func noKid() throws {
        try set(["keys": "noKid"])
        let all = try members()
        #expect(all.count == 2 && all.allSatisfy { $0["kid"] == nil })
        let token = try providers.order("/openid/example/mint", ["header": ["kid": nil]])["identityToken"]
        let jws = try CompactJWS(try #require(token?.string))
        #expect(jws.keyID == nil)
        try jws.verify(with: try VerificationKey(jwk: all[0]))
    }

    @Test("another issuer is in the document and in tokens")
    func issuer() throws {
        try providers.order("/openid/google/keys/faults", ["issuer": "http://127.0.0.1:8444/openid/google"])
        let document = try providers.json("/openid/google/.well-known/openid-configuration")
        #expect(document["issuer"] == "http://127.0.0.1:8444/openid/google")
        #expect(try providers.token("google").claims()["iss"] == "http://127.0.0.1:8444/openid/google")
    }

    @Test("each of the two has its own mode", arguments: [("discovery", discovery, keys), ("keys", keys, discovery)])
    func modes(member: String, path: String, other: String) throws {
        try set([member: "status", "status": 503])
        #expect(try providers.get(path).statusCode == 503)
        try set([member: "html"])
        #expect(try providers.get(path).contentType == "text/html")
        try set([member: "huge"])
        #expect(try providers.get(path).body.count > 1 << 20)
        _ = try providers.json(path)
        try set([member: "close"])
        #expect(providers.reply("GET", path) == nil)
        try set([member: "slow", "seconds": 7])
        guard case .reply(_, let seconds) = providers.action("GET", path) else {
            Issue.record("no answer")
            return
        }
        #expect(seconds == 7)
        #expect(try providers.get(other).statusCode == 200)
    }

    @Test("a redirect leads to an address that answers as usual", arguments: [discovery, keys])
    func redirect(path: String) throws {
        let usual = try providers.get(path).body
        try set(["discovery": "redirect", "keys": "redirect"])
        let reply = try providers.get(path)
        #expect(reply.statusCode == 302)
        #expect(try providers.get(try #require(reply.fields.first?.value)).body == usual)
    }

    @Test("a hanging request is answered once the mode changes")
    func hang() throws {
        try set(["keys": "hang"])
        guard case .waiting(let seconds, let next) = providers.action("GET", Self.keys) else {
            Issue.record("it does not wait")
            return
        }
        #expect(seconds == 60)
        #expect(next() == nil)
        #expect(try providers.json("/openid/example/requests")["keys"] == 1)
        _ = try providers.service.control(Self.keys + "/faults", method: "DELETE")
        guard case .reply(let reply, _) = next() else {
            Issue.record("it still waits")
            return
        }
        #expect(reply.statusCode == 200)
    }

    @Test("what an order leaves out is as usual, and the state can be read")
    func state() throws {
        try set(["discovery": "close", "seconds": 9, "issuer": "https://x.example"])
        try set(["keys": "empty", "status": 404])
        #expect(
            try providers.json(Self.keys + "/faults") == [
                "discovery": "normal", "keys": "empty", "authorize": "normal", "token": "normal", "seconds": 3,
                "status": 404,
                "issuer": "http://127.0.0.1:8444/openid/example", "maxAge": 19_800,
            ])
    }
}
