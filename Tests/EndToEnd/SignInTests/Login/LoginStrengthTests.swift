import Foundation
import JSON
import StandIn
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("How strong a login is")
struct LoginStrengthTests {
    private static let strong = "urn:gatehouse:2"

    @Test("A session's access tokens say how it was signed in, and a refresh keeps it")
    func claims() throws {
        let codes = try CodeFixture()
        let text = try codes.logIn(phone: codes.newNumber())
        let mail = try codes.logIn(codes.code("strength@example.com", channel: "email"))
        let other = try codes.server.devLogin("strength-dev@example.com")
        let apple = try codes.server.send(.post("/api/auth/apple", codes.server.apple.login("strength-apple")))
        let expected: [(TestResponse, JSONValue?)] = [
            (text, ["otp", "sms"]), (mail, ["otp"]), (other, nil), (apple, nil),
        ]
        for (login, methods) in expected {
            #expect(login.status == 200, "\(login.json)")
            for response in [login, try codes.server.refresh(login.refreshToken)] {
                #expect(response.accessClaims["acr"] == "urn:gatehouse:1")
                #expect(response.accessClaims["amr"] == methods)
                #expect(try codes.server.verify(response.accessToken).status == 204)
            }
        }
    }

    @Test("A passkey's session is strong if the passkey has verified its user, also after refreshes")
    func passkeys() throws {
        let server = try InProcessServer()
        let login = try server.devLogin("passkey@example.com")
        for (methods, acr, amr) in [
            ("pop user", "urn:gatehouse:1", ["pop", "user"]),
            ("pop user mfa", .string(Self.strong), ["pop", "user", "mfa"]),
        ] as [(String, JSONValue, JSONValue)] {
            var tokens = try server.refresh(login, signedInBy: methods)
            for _ in 0..<2 {
                #expect(tokens.accessClaims["acr"] == acr && tokens.accessClaims["amr"] == amr)
                tokens = try server.refresh(tokens.refreshToken)
            }
        }
    }

    @Test("A login and a sign-up by a passkey are strong if the passkey has verified its user")
    func passkeyLogins() throws {
        let fixture = try PasskeyFixture { $0["PASSKEY_USER_VERIFICATION"] = "preferred" }
        for (atSignUp, atLogin, isStrong) in [(0x5D, 0x1D, true), (0x59, 0x19, false)] as [(UInt8, UInt8, Bool)] {
            var device = SoftwareAuthenticator()
            device.flags = atSignUp
            let signedUp = try fixture.server.send(fixture.signUp(&device))
            device.flags = atLogin
            let login = try fixture.logIn(&device)
            #expect(login.status == 200 && login.userID == signedUp.userID, "\(login.json)")
            for tokens in [signedUp, login, try fixture.server.refresh(login.refreshToken)] {
                #expect(tokens.accessClaims["acr"] == (isStrong ? "urn:gatehouse:2" : "urn:gatehouse:1"))
                #expect(tokens.accessClaims["amr"] == (isStrong ? ["pop", "user", "mfa"] : ["pop", "user"]))
            }
        }
    }

    @Test("With SENSITIVE_ACR, any login adds the first passkey, and only a strong one the next, or removes one")
    func firstPasskey() throws {
        let fixture = try PasskeyFixture { $0["SENSITIVE_ACR"] = Self.strong }
        let login = try fixture.server.devLogin("first-passkey@example.com")
        var (device, added) = try fixture.add(to: login)
        #expect(added.status == 200, "\(added.json)")
        func remove(_ login: TestResponse) throws -> TestResponse {
            var request = TestRequest.post(
                "/api/users/me/passkeys/" + (added["id"]?.string ?? ""), [:], bearer: login.accessToken)
            request.method = "DELETE"
            return try fixture.server.send(request)
        }
        let path = "/api/users/me/passkeys"
        expectProblem(try fixture.options(path, bearer: login.accessToken), 401, "insufficient_authentication")
        expectProblem(try remove(login), 401, "insufficient_authentication")
        let strong = try fixture.logIn(&device)
        #expect(try fixture.add(to: strong).answer.status == 200)
        #expect(try remove(strong).status == 204)
    }

    @Test("Introspection tells acr and amr (RFC 7662)", arguments: [nil, "otp sms", "pop user mfa"])
    func introspection(methods: String?) throws {
        let server = try InProcessServer(ServiceServers.configure)
        let login = try server.refresh(try server.devLogin("asked@example.com"), signedInBy: methods)
        var request = TestRequest.form("/introspect", "token=" + login.accessToken)
        request.headers.append(("Authorization", "Bearer " + ServiceFixture.token))
        let answer = server.send(request)
        #expect(answer["active"] == true && answer["acr"] == login.accessClaims["acr"] && answer["acr"] != nil)
        #expect(answer["amr"] == login.accessClaims["amr"] && (answer["amr"] == nil) == (methods == nil))
    }

    // MARK: - Changes of the account

    private static let changes = [
        ("POST", "/api/users/me/accounts/apple"), ("DELETE", "/api/users/me/accounts/apple"),
        ("DELETE", "/api/users/me"),
    ]

    @Test("With SENSITIVE_ACR, only a strong login links, unlinks and deletes", arguments: changes)
    func sensitive(method: String, path: String) throws {
        let server = try InProcessServer { $0["SENSITIVE_ACR"] = Self.strong }
        let login = try server.devLogin("sensitive@example.com")
        func ask(_ token: String, _ body: JSONObject) throws -> TestResponse {
            var request = TestRequest.post(path, body, bearer: token)
            request.method = method
            return server.send(request)
        }
        let identity = server.apple.login("sensitive")
        // A fresh token of Apple proves a recent login, and not a strong one.
        let proof: JSONObject = ["identityToken": identity["identityToken"] ?? .null]
        for body in method == "DELETE" ? [[:], proof] : [proof] {
            let refused = try ask(login.accessToken, body)
            expectProblem(refused, 401, "insufficient_authentication")
            #expect(refused.header("www-authenticate")?.hasSuffix("acr_values=\"urn:gatehouse:2\"") == true)
        }
        #expect(try server.me(login.accessToken).status == 200, "other requests still succeed")
        let strong = try server.refresh(login, signedInBy: "pop user mfa").accessToken
        let link = TestRequest.post("/api/users/me/accounts/apple", identity, bearer: strong)
        #expect(server.send(link).status == 200)
        if method == "DELETE" { #expect(try ask(strong, [:]).status == 204) }
    }

    @Test("A strong new user joins no owner who has a passkey under SENSITIVE_ACR, and no administrator")
    func join() throws {
        for (acr, role, hasPasskey, isJoined) in [
            (Self.strong, "USER", true, false), (Self.strong, "USER", false, true),
            ("urn:gatehouse:1", "USER", true, true), ("urn:gatehouse:1", "ADMIN", false, false),
            ("urn:gatehouse:1", "SUPER_ADMIN", false, false),
        ] {
            let fixture = try PasskeyFixture { $0["SENSITIVE_ACR"] = acr }
            let (codes, server) = (fixture.codes, fixture.inProcess)
            let number = codes.newNumber()
            let owner = try codes.logIn(phone: number)
            if hasPasskey { #expect(try fixture.add(to: owner).answer.status == 200) }
            try server.testDatabase.execute("UPDATE users SET role = '\(role)' WHERE id = '\(owner.userID)'")
            server.advanceClock(by: .seconds(61))
            let new = try server.refresh(
                server.send(.post("/api/auth/apple", server.apple.login("joining"))), signedInBy: "pop user mfa")
            let answer = try codes.bind(codes.code(number), to: new, ["onTaken": "join"])
            let expected = isJoined ? "200" : "409 account_already_linked identity"
            #expect(fixture.refusal(answer) == expected, "\(acr) \(role) \(hasPasskey)")
        }
    }

    @Test("With SENSITIVE_ACR, a passkey without user verification is neither added nor signs a user up")
    func unverified() throws {
        for (acr, verification) in [(Self.strong, "required"), ("urn:gatehouse:1", "preferred")] {
            let fixture = try PasskeyFixture {
                $0["SENSITIVE_ACR"] = acr
                $0["PASSKEY_USER_VERIFICATION"] = "preferred"
            }
            let login = try fixture.server.devLogin("unverified@example.com")
            for path in ["/api/auth/passkey/signup", "/api/users/me/passkeys"] {
                let options = try fixture.options(path, bearer: login.accessToken)["publicKey"]?.object
                let selection = options?["authenticatorSelection"]?.object
                #expect(selection?["userVerification"]?.string == verification, "\(path)")
            }
            var device = SoftwareAuthenticator()
            device.flags = 0x59
            let signUp = try fixture.server.send(fixture.signUp(&device))
            let added = try fixture.server.send(fixture.addition(&device, to: login))
            let isRefused = acr == Self.strong
            #expect(fixture.refusal(signUp) == (isRefused ? "401 invalid_passkey user_verification" : "200"))
            #expect(fixture.refusal(added) == (isRefused ? "422 invalid_passkey user_verification" : "200"))
            #expect(try fixture.passkeys(of: login).isEmpty == isRefused)
        }
    }

    @Test("With SENSITIVE_ACR, a number that the settings demand is bound by any login, and a further change is not")
    func phone() throws {
        let fixture = try CodeFixture { variables in
            variables["SENSITIVE_ACR"] = Self.strong
            variables["PHONE_BINDING"] = "required"
        }
        let login = try fixture.server.devLogin("no-number@example.com")
        let code = try fixture.code(fixture.newNumber())
        func bind(_ token: String, _ code: SentTestCode, _ more: JSONObject = [:]) throws -> TestResponse {
            var body: JSONObject = ["codeId": .string(code.id), "code": .string(code.text)]
            for name in more.names { body[name] = more[name] }
            return try fixture.server.send(.post("/api/users/me/accounts/phone", body, bearer: token))
        }
        #expect(try bind(login.accessToken, code).status == 200)
        let bound = try fixture.server.refresh(login.refreshToken).accessToken
        let next = try fixture.code(fixture.newNumber())
        expectProblem(try bind(bound, next, ["replace": true]), 401, "insufficient_authentication")
        var request = TestRequest.post("/api/users/me/accounts/phone", [:], bearer: bound)
        request.method = "DELETE"
        expectProblem(try fixture.server.send(request), 401, "insufficient_authentication")
    }
}
