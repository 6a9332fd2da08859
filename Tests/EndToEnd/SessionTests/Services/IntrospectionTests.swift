import Foundation
import JSON
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

/// RFC 7662: whether an access token is valid at this moment.
@Suite("Token introspection")
struct IntrospectionTests {
    private func introspect(
        _ server: any TestServer, _ token: String, by service: String? = ServiceFixture.token, _ more: String = ""
    ) throws -> TestResponse {
        var request = TestRequest.form("/introspect", "token=" + token + more)
        if let service { request.headers.append(("Authorization", "Bearer " + service)) }
        return try server.send(request)
    }

    private func expectInactive(_ response: TestResponse, _ comment: Comment = "") {
        #expect(response.status == 200, comment)
        #expect(response.json == ["active": false], comment)
    }

    @Test("An access token of a live session has its claims", arguments: [TestEnvironment.handler, .nginx])
    func active(_ environment: TestEnvironment) throws {
        let server = try ServiceServers.standard(environment)
        let login = try server.devLogin("introspected-\(environment)@example.com")
        for hint in ["", "&token_type_hint=refresh_token", "&token_type_hint=access_token&other=1"] {
            let response = try introspect(server, login.accessToken, hint)
            #expect(response.status == 200 && response.header("cache-control") == "no-store")
            var expected = login.accessClaims
            expected["active"] = true
            expected["token_type"] = "Bearer"
            #expect(Set(response.json.names) == Set(expected.names))
            for name in expected.names { #expect(response[name] == expected[name], "\(name)") }
        }
    }

    @Test("A bound token has its key, and needs no proof of the client")
    func bound() throws {
        let server = try ServiceServers.handler.get()
        let client = try BoundClient(at: server, "introspected-bound@example.com")
        let response = try introspect(server, client.tokens.accessToken)
        #expect(response["active"] == true && response["token_type"] == "DPoP")
        #expect(response["cnf"] != nil && response["cnf"] == client.tokens.accessClaims["cnf"])
    }

    @Test("Every other text is inactive, and nothing more is said")
    func inactive() throws {
        let server = try ServiceServers.handler.get()
        let login = try server.devLogin("inactive@example.com")
        let parts = login.accessToken.split(separator: ".").map(String.init)
        let forged = [parts[0], parts[1], String(parts[2].reversed())].joined(separator: ".")
        let texts = [
            "x", "%00", "..", forged, parts[0] + "." + parts[1] + ".", login.refreshToken, ServiceFixture.token,
            login.accessToken + ".", "Bearer " + login.accessToken, String(repeating: "x", count: 60_000),
        ]
        for text in texts { expectInactive(try introspect(server, text), "\(text.prefix(20))") }
    }

    @Test("An expired token is inactive")
    func expired() throws {
        let server = try InProcessServer(ServiceServers.configure)
        let login = try server.devLogin("expired@example.com")
        server.advanceClock(by: .seconds(850))
        #expect(try introspect(server, login.accessToken)["active"] == true)
        server.advanceClock(by: .seconds(60))
        expectInactive(try introspect(server, login.accessToken))
    }

    @Test("A session that a user or an operator has ended is inactive at once")
    func ended() throws {
        let server = try ServerProcess(ServiceServers.configure)
        let client = try TokenClient(server)
        for action in RevocationAction.all {
            let login = try client.logIn(action.name)
            #expect(try introspect(server, login.accessToken)["active"] == true)
            try action.perform(client, login)
            // What a command writes to a database on a server is read a moment later.
            if TestDatabase.isOnServer {
                _ = Eventually.holds { (try? introspect(server, login.accessToken))?.json["active"] == false }
            }
            expectInactive(try introspect(server, login.accessToken), "\(action.name)")
        }
    }

    @Test("A user without the phone number that the settings demand is inactive, as at the guard")
    func phone() throws {
        let server = try InProcessServer { variables in
            ServiceServers.configure(&variables)
            variables["PHONE_BINDING"] = "required"
            variables["SMS_URL"] = "http://127.0.0.1:1"
            variables["SMS_SECRET"] = "whsec_EIYk4Hap3db0PQ1sKREQ6z87uAL0AE6x"
        }
        let login = try server.devLogin("phoneless@example.com")
        #expect(try server.verify(login.accessToken).code == "phone_required")
        expectInactive(try introspect(server, login.accessToken))
    }

    @Test("A guest is inactive, unless the service says that guests pass")
    func guest() throws {
        let server = try InProcessServer { variables in
            ServiceServers.configure(&variables)
            variables["GUESTS"] = "open"
        }
        let login = server.send(.post("/api/auth/guest", [:]))
        for more in ["", "&guests=", "&guests=off", "&guests=on&guests=off"] {
            expectInactive(try introspect(server, login.accessToken, more), "\(more)")
        }
        let response = try introspect(server, login.accessToken, "&guests=on")
        #expect(response["active"] == true && response["guest"] == true)
        let user = try server.devLogin("no-guest@example.com")
        #expect(try introspect(server, user.accessToken, "&guests=on")["active"] == true)
    }

    @Test("What a service accepts is used: the refresh token before it is old from then on")
    func confirmation() throws {
        for introspects in [false, true] {
            let server = try InProcessServer { variables in
                ServiceServers.configure(&variables)
                variables["REFRESH_REUSE_GRACE"] = "0s"
            }
            let login = try server.devLogin("confirmed@example.com")
            let next = try server.refresh(login.refreshToken)
            if introspects { #expect(try introspect(server, next.accessToken)["active"] == true) }
            server.advanceClock(by: .seconds(1))
            let again = try server.refresh(login.refreshToken)
            #expect(again.status == (introspects ? 401 : 200), "\(again.code ?? "")")
        }
    }

    @Test("The caller needs a service token, before the body is read", arguments: [TestEnvironment.handler, .nginx])
    func caller(_ environment: TestEnvironment) throws {
        let server = try ServiceServers.standard(environment)
        let login = try server.devLogin("caller-\(environment)@example.com")
        for service in [nil, "x", login.accessToken] {
            let response = try introspect(server, login.accessToken, by: service)
            #expect(response.status == 401 && response.code == "invalid_service_token")
            #expect(response.header("www-authenticate")?.hasPrefix("Bearer") == true)
        }
        #expect(try introspect(server, login.accessToken, by: ServiceFixture.otherToken)["active"] == true)
    }

    @Test("A request without one token is 400, and another type of body 415")
    func parameters() throws {
        let server = try ServiceServers.handler.get()
        for body in ["", "token=", "token=a&token=b", "other=1"] {
            var request = TestRequest.form("/introspect", body)
            request.headers.append(("Authorization", "Bearer " + ServiceFixture.token))
            let response = server.send(request)
            #expect(response.status == 400 && response.code == "invalid_request", "\(body)")
        }
        let response = server.send(.post("/introspect", ["token": "x"], bearer: ServiceFixture.token))
        #expect(response.status == 415)
        let get = server.send(.get("/introspect?token=x", bearer: ServiceFixture.token))
        #expect(get.status == 405 && get.header("allow") == "POST")
    }

    @Test("A service with Authlib asks, and sees a logout at once")
    func library() throws {
        let server = try ServiceServers.nginx.get()
        let login = try server.devLogin("authlib-service@example.com")
        let script = Executable.root + "/Tests/EndToEnd/Scripts/introspecting-service.py"
        func ask(_ token: String) throws -> JSONObject {
            let output = try Shell.run(
                ["/usr/bin/python3", script, server.origin + "/introspect"],
                input: Array("\(ServiceFixture.token)\n\(token)\n".utf8))
            return try #require(try JSONValue(parsing: output).object)
        }
        #expect(try ask(login.accessToken) == ["status": 200, "user": .string(login.userID)])
        #expect(try ask("garbage")["status"] == 401)
        _ = try server.send(.post("/api/auth/logout", bearer: login.accessToken))
        #expect(try ask(login.accessToken)["status"] == 401)
    }
}
