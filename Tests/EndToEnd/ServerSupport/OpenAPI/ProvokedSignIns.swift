import JSON
import StoreSupport
import TestSupport

// The functions of `Provocation` about the ways to sign in.

// MARK: - Guests

extension Provocation {
    func answerAboutGuest(_ fixture: ExampleFixture) throws -> TestResponse? {
        let server = fixture.server
        let guest = TestRequest.post("/api/auth/guest", [:])
        switch problem.code {
        case "guest": return fixture.send { fixture.authorise(&$0, by: server.send(guest).accessToken) }
        case "user_is_guest":
            return fixture.send { $0.path = operation.path.replacing("{id}", with: server.send(guest).userID) }
        case "too_many_guests":
            for _ in 0..<30 { _ = fixture.send() }
            return fixture.send()
        case "unknown_provider" where operation.id == "signInAsGuest":
            try server.restart { $0["GUESTS"] = nil }
            return fixture.send()
        case "user_disabled" where operation.id == "signInAsGuest":
            _ = server.send(try guest.proven(by: "disabled:P-256", at: server))
            try server.testDatabase.execute("UPDATE users SET status = 'DISABLED' WHERE guest_key IS NOT NULL")
            return server.send(try guest.proven(by: "disabled:P-256", at: server))
        default: return nil
        }
    }
}

// MARK: - Passkeys

extension Provocation {
    func answerAboutPasskey(_ fixture: ExampleFixture) throws -> TestResponse? {
        guard operation.id.contains("Passkey") else { return nil }
        let server = fixture.server
        switch problem.code {
        case "invalid_passkey": return fixture.send { Self.set(["passkeyId": "x", "credential": [:]], of: &$0) }
        case "unknown_provider":
            let request = fixture.request()
            try server.restart { $0["PASSKEY_RP_ID"] = nil }
            return server.send(request)
        case "account_already_linked":
            let request = fixture.request()
            _ = server.send(request)
            return try fixture.passkeys.map { try server.send($0.repeated(request)) }
        case "too_many_passkeys":
            for _ in 0..<19 { fixture.addPasskey() }
            let request = fixture.request()
            fixture.addPasskey()
            return server.send(request)
        case "last_account":
            fixture.becomePasskeyUser()
            return fixture.send()
        case "not_found": return fixture.send { $0.path = operation.path.replacing("{id}", with: "passkey_another") }
        case "login_too_old":
            let request = fixture.request()
            server.advanceClock(by: Self.sensitiveAge)
            return server.send(request)
        case "user_disabled" where operation.id == "signInWithPasskey":
            let request = fixture.request()
            try fixture.disableUsers()
            return server.send(request)
        default: return nil
        }
    }
}

// MARK: - Apple

extension Provocation {
    func answerAboutApple(_ fixture: ExampleFixture) throws -> TestResponse? {
        let apple = fixture.server.apple
        let (isProof, isNotification) = (operation.method == "DELETE", operation.id == "receiveAppleNotification")
        switch problem.code {
        case "invalid_apple_token":
            if isProof { fixture.server.advanceClock(by: Self.sensitiveAge) }
            return fixture.send {
                let body: JSONObject = ["provider": "APPLE", "identityToken": "x.y.z"]
                Self.set(isNotification ? ["payload": "x.y.z"] : body, of: &$0)
            }
        case "apple_keys_unavailable":
            apple.setKeyServerMode(.closing)
            if isProof { fixture.server.advanceClock(by: Self.sensitiveAge) }
            return fixture.send { request in
                if isProof || operation.id == "signInWithProvider" {
                    var body = apple.login("example")
                    body["provider"] = "APPLE"
                    Self.set(body, of: &request)
                }
            }
        case "account_already_linked":
            fixture.logInWithApple("example")
            return fixture.send()
        case "last_account":
            fixture.becomeAppleUser()
            return fixture.send()
        default: return nil
        }
    }
}

// MARK: - Codes

extension Provocation {
    func answerAboutCode(_ fixture: ExampleFixture) throws -> TestResponse? {
        let server = fixture.server
        switch problem.code {
        case "unknown_provider" where operation.path.hasPrefix("/api/auth/codes"):
            let request = fixture.request()
            try server.restart { for name in ["SMS_URL", "SMS_SECRET"] { $0[name] = nil } }
            return server.send(request)
        case "unknown_provider" where operation.id == "signInWithNumber":
            try server.restart { for name in ["NUMBER_URL", "NUMBER_SECRET"] { $0[name] = nil } }
            return fixture.send()
        case "provider_unavailable" where operation.id == "signInWithNumber":
            try server.restart { $0["NUMBER_URL"] = "http://127.0.0.1:1" }
            return fixture.send()
        case "invalid_identity" where operation.id == "signInWithNumber":
            return fixture.send { Self.set(["gateway": "aliyun", "token": "invented"], of: &$0) }
        case "country_not_served" where operation.id != "requestCode":
            fixture.provider = "number"
            return fixture.send { Self.set(fixture.token(of: "+12025550123"), of: &$0) }
        case "country_not_served":
            return fixture.send { Self.set(["channel": "phone", "to": "+12025550123"], of: &$0) }
        case "too_many_codes":
            _ = fixture.send()
            return fixture.send()
        case "delivery_unavailable": return fixture.send()
        case "invalid_code":
            if problem.status == 422 { fixture.provider = "phone" }
            return fixture.send { Self.set(["codeId": "code_another", "code": "wrong"], of: &$0) }
        case "stale_number":
            let bearer = fixture.logInWithCode().accessToken
            _ = server.send(.post("/api/users/me/accounts/apple", server.apple.login("example"), bearer: bearer))
            server.advanceClock(by: .seconds(91 * 86_400))
            return try operation.id == "linkAccount" ? fixture.join() : fixture.send()
        // A caller may end its own session, so the path names another.
        case "phone_required":
            return fixture.send { $0.path = $0.path.replacing(fixture.sessionID, with: "sess_another") }
        default: return nil
        }
    }
}

// MARK: - Signing in through a browser

extension Provocation {
    func answerAboutWebSignIn(_ fixture: ExampleFixture) throws -> TestResponse? {
        switch problem.code {
        case "invalid_redirect_uri" where operation.id != "startWebSignIn":
            let request = fixture.request()
            try fixture.server.restart { $0["REDIRECT_URIS"] = "https://other.example.com/" }
            return fixture.server.send(request)
        case "invalid_redirect_uri": return fixture.server.send(.get("/api/auth/acme/start?redirect_uri=other"))
        case "invalid_state": return fixture.send { $0.headers.removeAll { $0.name == "Cookie" } }
        case "unknown_provider" where operation.isForBrowsers:
            return fixture.send { $0.path = $0.path.replacing("acme", with: "unknown") }
        case "invalid_grant": return fixture.send { Self.set(["code": "a", "codeVerifier": "b"], of: &$0) }
        case "origin_not_allowed": return fixture.server.send(fixture.requestOfOtherSite())
        default: return nil
        }
    }
}

// MARK: - Other providers

extension Provocation {
    func answerAboutProvider(_ fixture: ExampleFixture) throws -> TestResponse? {
        let isProof = operation.method == "DELETE"
        let provider: String
        switch problem.code {
        case "invalid_identity": provider = "google"
        case "provider_unavailable":
            provider = operation.id == "receiveSecurityEvents" ? "google_down" : "down"
        case "unknown_provider": provider = "unknown"
        default: return nil
        }
        if isProof { fixture.server.advanceClock(by: Self.sensitiveAge) }
        if operation.id != "unlinkAccount" { fixture.provider = provider }
        return fixture.send { request in
            if operation.id == "receiveSecurityEvents" {
                if problem.code == "invalid_identity" { request.body = Array("x.y.z".utf8) }
                return
            }
            var body = problem.code == "invalid_identity" ? ["identityToken": "x.y.z"] : fixture.identity(at: provider)
            body["provider"] = .string(provider.uppercased())
            Self.set(body, of: &request)
        }
    }
}
