import Foundation
import JOSE
import JSON
import Testing

@testable import ServerSupport

@Suite("The key set of access tokens")
struct KeySetTests {
    private static let path = "/.well-known/jwks.json"

    private func conditional(_ tags: String, method: String = "GET") -> TestRequest {
        TestRequest(method: method, path: Self.path, headers: [("If-None-Match", tags)])
    }

    @Test("The set has the public keys that sign now and that signed before", arguments: TestEnvironment.allCases)
    func keys(_ environment: TestEnvironment) throws {
        let server = try SharedServers.publishingKeys(environment)
        let response = try server.send(.get(Self.path))
        #expect(response.status == 200)
        #expect(response.header("content-type") == "application/jwk-set+json")
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

    @Test("The keys verify the issued access tokens", arguments: TestEnvironment.allCases)
    func verifies(_ environment: TestEnvironment) throws {
        let server = try SharedServers.publishingKeys(environment)
        let set = try JWKSet(parsing: server.send(.get(Self.path)).body)
        let token = try CompactJWS(server.devLogin("keys-\(environment)@example.com").accessToken)
        #expect(token.algorithmName == "ES256")
        try token.verify(with: #require(set[token.keyID ?? ""]))
    }

    @Test("The set may be cached for five minutes", arguments: TestEnvironment.allCases)
    func caching(_ environment: TestEnvironment) throws {
        let server = try SharedServers.publishingKeys(environment)
        for request in [TestRequest.get(Self.path), conditional("*")] {
            let response = try server.send(request)
            #expect(response.header("cache-control") == "public, max-age=300")
            #expect(response.count(ofHeader: "cache-control") == 1)
            #expect(response.header("etag")?.wholeMatch(of: /"[A-Za-z0-9_-]{43}"/) != nil)
            #expect(response.count(ofHeader: "etag") == 1)
            #expect(response.header("set-cookie") == nil)
        }
        #expect(try server.send(.get(Self.path + "/x")).header("cache-control") == "no-store")
    }

    @Test(
        "A request with the current ETag gets 304", arguments: TestEnvironment.allCases,
        ["TAG", "W/TAG", " TAG ", "\"other\", TAG", "\"other\",W/TAG,\"third\"", "\"a,b\", TAG", "*"])
    func unchanged(_ environment: TestEnvironment, _ tags: String) throws {
        let server = try SharedServers.publishingKeys(environment)
        let tag = try #require(try server.send(.get(Self.path)).header("etag"))
        let response = try server.send(conditional(tags.replacing("TAG", with: tag)))
        #expect(response.status == 304)
        #expect(response.body.isEmpty)
        #expect(response.header("etag") == tag)
        #expect(response.header("content-type") == nil)
        #expect(response.header("content-length") == nil)
    }

    @Test(
        "A request with another ETag gets the key set", arguments: TestEnvironment.allCases,
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

    @Test("HEAD is answered as GET, and other methods are refused", arguments: TestEnvironment.allCases)
    func methods(_ environment: TestEnvironment) throws {
        let server = try SharedServers.publishingKeys(environment)
        let whole = try server.send(.get(Self.path))
        let head = try server.send(TestRequest(method: "HEAD", path: Self.path))
        #expect(head.status == 200)
        for name in ["etag", "content-length", "content-type", "cache-control"] {
            #expect(head.header(name) == whole.header(name))
        }
        #expect(try server.send(conditional("*", method: "HEAD")).status == 304)
        for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
            let response = try server.send(conditional("*", method: method))
            #expect(response.status == 405)
            #expect(response.code == "method_not_allowed")
            #expect(response.header("allow") == "GET, HEAD")
            #expect(response.header("cache-control") == "no-store")
        }
    }

    @Test("There is no key set while a shared secret signs tokens", arguments: TestEnvironment.allCases)
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

    @Test("Another set of keys has another ETag")
    func changedTag() throws {
        let one = try InProcessServer { $0["ACCESS_SIGNING_KEY"] = TestSettings.signingKey.pem }
        let two = try InProcessServer(TestSettings.publishKeys)
        let same = try SharedServers.publishingKeys(.handler)
        let tags = try [one, two, same].map { try $0.send(.get(Self.path)).header("etag") }
        #expect(tags[0] != tags[1])
        #expect(tags[1] == tags[2])
    }
}
