import Foundation
import JOSE
import JSON
import Testing

@Suite("The key set of access tokens")
struct KeySetTests {
    private static let path = "/.well-known/jwks.json"

    private func conditional(_ tags: String, method: String = "GET") -> Call {
        Call(method: method, path: Self.path, headers: [("If-None-Match", tags)])
    }

    @Test("has the public halves of the key that signs and of the one before it", arguments: World.allCases)
    func keys(_ world: World) throws {
        let house = try Houses.publishing(world)
        let answer = try house.send(.get(Self.path))
        #expect(answer.status == 200)
        #expect(answer.header("content-type") == "application/jwk-set+json")
        #expect(answer.json.names == ["keys"])
        let keys = [Settings.signingKey, Settings.signingKeyBefore]
        #expect(answer["keys"]?.array == keys.compactMap { $0.publicJWK.map(JSONValue.object) })
        let members = answer["keys"]?.array?.map { Set($0.object?.names ?? []) }
        #expect(
            members == [
                ["kty", "crv", "x", "y", "kid", "alg", "use"], ["kty", "crv", "x", "kid", "alg", "use"],
            ])
        #expect(answer["keys"]?.array?.map { $0.object?["kid"]?.string } == keys.map(\.thumbprint))
    }

    @Test("verifies the access tokens that are given out", arguments: World.allCases)
    func verifies(_ world: World) throws {
        let house = try Houses.publishing(world)
        let set = try JWKSet(parsing: house.send(.get(Self.path)).body)
        let token = try CompactJWS(house.devLogin("keys-\(world)@example.com").accessToken)
        #expect(token.algorithmName == "ES256")
        try token.verify(with: #require(set[token.keyID ?? ""]))
    }

    @Test("may be kept for five minutes by anybody, and says so once", arguments: World.allCases)
    func caching(_ world: World) throws {
        let house = try Houses.publishing(world)
        for call in [Call.get(Self.path), conditional("*")] {
            let answer = try house.send(call)
            #expect(answer.header("cache-control") == "public, max-age=300")
            #expect(answer.count(ofHeader: "cache-control") == 1)
            #expect(answer.header("etag")?.wholeMatch(of: /"[A-Za-z0-9_-]{43}"/) != nil)
            #expect(answer.count(ofHeader: "etag") == 1)
            #expect(answer.header("set-cookie") == nil)
        }
        #expect(try house.send(.get(Self.path + "/x")).header("cache-control") == "no-store")
    }

    @Test(
        "is not sent again to whoever has it", arguments: World.allCases,
        ["TAG", "W/TAG", " TAG ", "\"other\", TAG", "\"other\",W/TAG,\"third\"", "\"a,b\", TAG", "*"])
    func unchanged(_ world: World, _ tags: String) throws {
        let house = try Houses.publishing(world)
        let tag = try #require(try house.send(.get(Self.path)).header("etag"))
        let answer = try house.send(conditional(tags.replacing("TAG", with: tag)))
        #expect(answer.status == 304)
        #expect(answer.body.isEmpty)
        #expect(answer.header("etag") == tag)
        #expect(answer.header("content-type") == nil)
        #expect(answer.header("content-length") == nil)
    }

    @Test(
        "is sent to whoever has another one", arguments: World.allCases,
        ["\"other\"", "BARE", "w/TAG", "\"BARE", "\"BARE \"", "\"xBARE\"", ",", "\"*\"", "TAG/W"])
    func changed(_ world: World, _ tags: String) throws {
        let house = try Houses.publishing(world)
        let whole = try house.send(.get(Self.path))
        let tag = try #require(whole.header("etag"))
        let sent = tags.replacing("TAG", with: tag).replacing("BARE", with: tag.filter { $0 != "\"" })
        let answer = try house.send(conditional(sent))
        #expect(answer.status == 200)
        #expect(answer.body == whole.body)
    }

    @Test("answers HEAD as GET, and no other method", arguments: World.allCases)
    func methods(_ world: World) throws {
        let house = try Houses.publishing(world)
        let whole = try house.send(.get(Self.path))
        let head = try house.send(Call(method: "HEAD", path: Self.path))
        #expect(head.status == 200)
        for name in ["etag", "content-length", "content-type", "cache-control"] {
            #expect(head.header(name) == whole.header(name))
        }
        #expect(try house.send(conditional("*", method: "HEAD")).status == 304)
        for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
            let answer = try house.send(conditional("*", method: method))
            #expect(answer.status == 405)
            #expect(answer.code == "method_not_allowed")
            #expect(answer.header("allow") == "GET, HEAD")
            #expect(answer.header("cache-control") == "no-store")
        }
    }

    @Test("is nowhere while tokens are signed with a secret", arguments: World.allCases)
    func secretsOnly(_ world: World) throws {
        for method in ["GET", "HEAD", "POST"] {
            let answer = try Houses.of(world).send(conditional("*", method: method))
            #expect(answer.status == 404)
            #expect(method == "HEAD" || answer.code == "not_found")
            #expect(answer.header("cache-control") == "no-store")
        }
    }

    @Test("is there for a key that does not sign yet, or does no longer, and has nothing of the secret that does")
    func keyAhead() throws {
        let house = try InProcessHouse { $0["ACCESS_SIGNING_KEY_PREVIOUS"] = Settings.signingKeyBefore.pem }
        let answer = house.send(.get(Self.path))
        #expect(answer["keys"]?.array?.count == 1)
        #expect(try CompactJWS(house.devLogin("ahead@example.com").accessToken).algorithmName == "HS256")
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(!text.contains("oct") && !text.contains("HS256") && !text.contains(Settings.accessSecret))
    }

    @Test("has another tag when it has other keys")
    func tags() throws {
        let one = try InProcessHouse { $0["ACCESS_SIGNING_KEY"] = Settings.signingKey.pem }
        let two = try InProcessHouse(Settings.publishKeys)
        let same = try Houses.publishing(.handler)
        let tags = try [one, two, same].map { try $0.send(.get(Self.path)).header("etag") }
        #expect(tags[0] != tags[1])
        #expect(tags[1] == tags[2])
    }
}
