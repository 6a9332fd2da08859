import Foundation
import JOSE
import JSON
import Testing

@testable import ServerSupport

@Suite("The key set of access tokens")
struct KeySetTests {
    private static let path = "/.well-known/jwks.json"
    private static let environments = [TestEnvironment.handler, .nginx]

    private func conditional(_ tags: String, method: String = "GET") -> TestRequest {
        TestRequest(method: method, path: Self.path, headers: [("If-None-Match", tags)])
    }

    @Test(
        "The set has the public keys that sign now and that signed before, and may be cached for five minutes",
        arguments: environments)
    func keys(_ environment: TestEnvironment) throws {
        let server = try SharedServers.publishingKeys(environment)
        let response = try server.send(.get(Self.path))
        #expect(response.status == 200)
        #expect(response.header("content-type") == "application/jwk-set+json")
        #expect(response.header("cache-control") == "public, max-age=300")
        #expect(response.header("etag")?.wholeMatch(of: /"[A-Za-z0-9_-]{43}"/) != nil)
        for name in ["cache-control", "etag"] { #expect(response.count(ofHeader: name) == 1, "\(name)") }
        #expect(response.header("set-cookie") == nil)
        #expect(response.json.names == ["keys"])
        let keys = [TestSettings.signingKey, TestSettings.signingKeyBefore]
        #expect(response["keys"]?.array == keys.compactMap { $0.publicJWK.map(JSONValue.object) })
        let members = response["keys"]?.array?.map { Set($0.object?.names ?? []) }
        #expect(
            members == [
                ["kty", "crv", "x", "y", "kid", "alg", "use"], ["kty", "crv", "x", "kid", "alg", "use"],
            ])
        #expect(response["keys"]?.array?.map { $0.object?["kid"]?.string } == keys.map(\.thumbprint))
    }

    @Test(
        "A request with the current ETag gets 304", arguments: environments,
        ["TAG", "W/TAG", " TAG ", "\"other\", TAG", "\"other\",W/TAG,\"third\"", "\"a,b\", TAG", "*"])
    func unchanged(_ environment: TestEnvironment, _ tags: String) throws {
        let server = try SharedServers.publishingKeys(environment)
        let tag = try #require(try server.send(.get(Self.path)).header("etag"))
        let response = try server.send(conditional(tags.replacing("TAG", with: tag)))
        #expect(response.status == 304)
        #expect(response.body.isEmpty)
        #expect(response.header("etag") == tag && response.header("cache-control") == "public, max-age=300")
        #expect(response.header("content-type") == nil)
        #expect(response.header("content-length") == nil)
    }

    @Test(
        "A request with another ETag gets the key set", arguments: environments,
        ["\"other\"", "BARE", "w/TAG", "\"BARE", "\"BARE \"", "\"xBARE\"", ",", "\"*\"", "TAG/W"])
    func changed(_ environment: TestEnvironment, _ tags: String) throws {
        let server = try SharedServers.publishingKeys(environment)
        let whole = try server.send(.get(Self.path))
        let tag = try #require(whole.header("etag"))
        let sent = tags.replacing("TAG", with: tag).replacing("BARE", with: tag.filter { $0 != "\"" })
        let response = try server.send(conditional(sent))
        #expect(response.status == 200)
        #expect(response.body == whole.body)
    }

    @Test("There is no key set while a shared secret signs tokens", arguments: environments)
    func noKeys(_ environment: TestEnvironment) throws {
        for method in ["GET", "HEAD", "POST"] {
            let response = try SharedServers.standard(environment).send(conditional("*", method: method))
            #expect(response.status == 404)
            #expect(method == "HEAD" || response.code == "not_found")
            #expect(response.header("cache-control") == "no-store")
        }
    }

    @Test("A key that does not sign yet or no longer is published, and the secret is not")
    func publishedBeforeUse() throws {
        let server = try InProcessServer {
            $0["ACCESS_SIGNING_KEY_PREVIOUS"] = TestSettings.signingKeyBefore.pem
        }
        let response = server.send(.get(Self.path))
        #expect(response["keys"]?.array?.count == 1)
        #expect(try CompactJWS(server.devLogin("ahead@example.com").accessToken).algorithmName == "HS256")
        let text = String(decoding: response.body, as: UTF8.self)
        #expect(!text.contains("\"oct\"") && !text.contains("HS256") && !text.contains(TestSettings.accessSecret))
    }
}
