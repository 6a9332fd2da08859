import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// RFC 8414 and OpenID Connect Discovery: what libraries look up by the issuer of a token.
@Suite("Metadata of the server")
struct ServerMetadataTests {
    private static let paths = ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"]

    @Test(
        "It names the keys, their algorithms and the endpoints that exist",
        arguments: [TestEnvironment.handler, .nginx], paths)
    func served(_ environment: TestEnvironment, _ path: String) throws {
        let server = try SharedServers.publishingKeys(environment)
        let response = try server.send(.get(path))
        #expect(response.status == 200)
        #expect(response.header("content-type") == "application/json")
        #expect(response.header("cache-control") == "public, max-age=300")
        #expect(
            response.json == [
                "issuer": .string(TestSettings.issuer), "response_types_supported": [], "grant_types_supported": [],
                "revocation_endpoint": .string(TestSettings.issuer + "/api/auth/revoke"),
                "revocation_endpoint_auth_methods_supported": ["none"],
                "dpop_signing_alg_values_supported": ["ES256", "EdDSA"],
                "jwks_uri": .string(TestSettings.issuer + "/.well-known/jwks.json"),
                "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["ES256", "EdDSA"],
            ])
        let login = try server.devLogin("metadata@example.com")
        #expect(login.accessClaims["iss"] == response["issuer"])
        // The addresses are of this server, whose tests have another origin.
        func address(_ member: String) -> String {
            String(response[member]?.string?.dropFirst(TestSettings.issuer.count) ?? "")
        }
        #expect(try server.send(.get(address("jwks_uri"))).json["keys"]?.array?.count == 2)
        let revocation = TestRequest.form(address("revocation_endpoint"), "token=" + login.refreshToken)
        #expect(try server.send(revocation).status == 200)
        #expect(try server.me(login.accessToken).code == "session_revoked")
    }

    @Test("A client with a copy gets 304", arguments: paths)
    func conditional(_ path: String) throws {
        let server = try SharedServers.publishingKeys(.nginx)
        var request = TestRequest.get(path)
        request.headers.append(("If-None-Match", try #require(server.send(request).header("etag"))))
        #expect(try server.send(request).status == 304)
    }

    @Test(
        "Without an https origin as the issuer there is none",
        arguments: [nil, "gatehouse", "http://login.example.com", "https://login.example.com/auth", "https://"])
    func otherIssuer(_ issuer: String?) throws {
        let server = try InProcessServer {
            TestSettings.publishKeys(&$0)
            $0["TOKEN_ISSUER"] = issuer
        }
        for path in Self.paths { expectProblem(server.send(.get(path)), 404, "not_found") }
        let login = try server.devLogin("issuer@example.com")
        #expect(login.accessClaims["iss"] == .string(issuer ?? "gatehouse"))
        #expect(try server.me(login.accessToken).status == 200)
    }

    @Test("A secret is never published, so with one it names no keys")
    func secret() throws {
        let server = try InProcessServer { $0["TOKEN_ISSUER"] = TestSettings.issuer + ":8443/" }
        let metadata = server.send(.get(Self.paths[0])).json
        #expect(metadata["issuer"] == "https://login.example.com:8443/")
        #expect(metadata["revocation_endpoint"] == "https://login.example.com:8443/api/auth/revoke")
        for name in ["jwks_uri", "id_token_signing_alg_values_supported", "subject_types_supported"] {
            #expect(metadata[name] == nil)
        }
    }

    @Test("After a change of the issuer, a refresh gets a token with the new one")
    func change() throws {
        let server = try InProcessServer()
        let login = try server.devLogin("renamed@example.com")
        try server.restart { $0["TOKEN_ISSUER"] = TestSettings.issuer }
        #expect(try server.me(login.accessToken).code == "invalid_access_token")
        let next = try server.refresh(login.refreshToken)
        #expect(next.accessClaims["iss"] == .string(TestSettings.issuer))
        #expect(try server.me(next.accessToken).status == 200)
    }

    @Test("A location of the operator at one of the paths has precedence")
    func ownLocation() throws {
        let locations = Self.paths.map { "location = \($0) { return 204; }" }
        let server = try ServerBehindNginx(locations: locations.joined(separator: "\n"))
        for path in Self.paths {
            let status = try Shell.run([
                "curl", "--silent", "--cacert", server.certificate, "--write-out", "%{http_code}",
                "https://localhost:\(server.port)\(path)",
            ])
            #expect(String(decoding: status, as: UTF8.self) == "204")
        }
    }
}
