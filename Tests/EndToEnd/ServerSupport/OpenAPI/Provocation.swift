import JSON
import StoreSupport
import TestSupport

/// Makes an operation answer one problem that the OpenAPI document lists for it.
///
/// `ExampleFixture` has a request that the operation accepts, on a server of its own. Each function
/// `answerAbout…` knows the problems of one subject: it makes the request wrong, or the state of the server, and
/// sends the request. `response` asks them in order. A problem that none of them knows throws `Unknown`, so a new
/// problem in the document fails the test until it is added here.
///
/// Example: `refresh` and `refresh_token_reused`. The request with the first token is kept, the session is refreshed
/// twice, the clock moves past the grace period, and the kept request is sent.
struct Provocation {
    struct Unknown: Error {
        let problem: APIProblem
    }

    /// The problems that only nginx answers. Other tests provoke them for all operations at once.
    static let codesOfNginx: Set<String> = ["too_many_requests", "bad_gateway", "gateway_timeout"]

    let operation: APIOperation
    let problem: APIProblem

    func response() throws -> TestResponse {
        let fixture = try ExampleFixture(operation, settings)
        return try answerAboutGuest(fixture) ?? answerAboutSupport(fixture) ?? answerAboutAttributes(fixture)
            ?? answerAboutRequest(fixture) ?? answerAboutPasskey(fixture)
            ?? answerAboutAccess(fixture) ?? answerAboutProof(fixture) ?? answerAboutRefresh(fixture)
            ?? answerAboutApple(fixture) ?? answerAboutCode(fixture)
            ?? answerAboutWebSignIn(fixture) ?? answerAboutProvider(fixture) ?? answerAboutState(fixture)
            ?? { throw Unknown(problem: problem) }()
    }

    private func settings(_ variables: inout [String: String]) {
        let unavailable = ["apple_keys_unavailable", "provider_unavailable", "unknown_provider"]
        if problem.code == "login_too_old" || problem.status == 422 || unavailable.contains(problem.code) {
            variables["SENSITIVE_MAX_AGE"] = "10m"
        }
        if operation.isForAdministrators, problem.code == "insufficient_authentication" {
            variables["ADMIN_ACR"] = "urn:gatehouse:2"
        }
        if operation.isForAdministrators, problem.code == "login_too_old" { variables["ACCESS_TOKEN_TTL"] = "12h" }
        switch problem.code {
        case "invalid_dpop_proof": variables["DPOP_GUARD"] = "required"
        case "delivery_unavailable": variables["SMS_URL"] = "http://127.0.0.1:1"
        case "phone_required": variables["PHONE_BINDING"] = "required"
        case "not_found" where operation.path.hasPrefix("/.well-known/"): variables["PASSKEY_RP_ID"] = nil
        case "stale_number": variables["PHONE_STALE_AFTER"] = "90d"
        default: break
        }
    }

    /// Longer than `SENSITIVE_MAX_AGE`, and shorter than the lifetime of access tokens.
    static let sensitiveAge = Duration.seconds(800)
}

// MARK: - The request

extension Provocation {
    private func answerAboutRequest(_ fixture: ExampleFixture) throws -> TestResponse? {
        switch problem.code {
        case "invalid_json":
            return fixture.send { request in
                ExampleFixture.set([:], of: &request)
                request.body = Array("{".utf8)
            }
        case "invalid_request":
            return fixture.send { request in
                let many = String(repeating: "&p", count: 65)
                if operation.path.hasPrefix("/api/auth/{provider}/") {
                    if request.method == "GET" { request.path += many } else { request.body += Array(many.utf8) }
                    return
                }
                let isForm = request.header("Content-Type") == "application/x-www-form-urlencoded"
                if operation.id == "lookUpUsers" { request.path = operation.path }
                if isForm { request.body = Array("token=".utf8) } else { Self.invalidate(&request) }
            }
        case "unsupported_media_type":
            return fixture.send { request in
                request.headers.removeAll { $0.name == "Content-Type" }
                request.headers.append(("Content-Type", "text/plain"))
                request.body = Array("{}".utf8)
            }
        case "payload_too_large":
            var request = fixture.request()
            request.body = [UInt8](repeating: 120, count: 65_537)
            return try SharedServers.publishingKeys(.fastCGI).send(request)
        default: return nil
        }
    }

    /// Sets members to a list, which is valid for none of them.
    private static func invalidate(_ request: inout TestRequest) {
        let names = [
            "identityToken", "refreshToken", "email", "nickname", "payload", "to", "code", "passkeyId", "name",
        ]
        set(JSONObject(names.map { ($0, .array([])) }), of: &request)
    }

    static func set(_ body: JSONObject, of request: inout TestRequest) {
        ExampleFixture.set(body, of: &request)
    }
}

// MARK: - Access tokens

extension Provocation {
    private func answerAboutAccess(_ fixture: ExampleFixture) throws -> TestResponse? {
        switch problem.code {
        case "invalid_service_token": return fixture.send { fixture.authorise(&$0, by: "x") }
        case "invalid_access_token": return fixture.send { fixture.authorise(&$0, by: "x.y.z") }
        case "access_token_expired":
            let request = fixture.request()
            fixture.server.advanceClock(by: .seconds(3600))
            return fixture.server.send(request)
        case "session_revoked":
            _ = fixture.server.send(.post("/api/auth/logout", bearer: fixture.login.accessToken))
            // A caller may end its own session again, so the path names another.
            return fixture.send { $0.path = $0.path.replacing(fixture.sessionID, with: "sess_another") }
        case "user_disabled":
            try fixture.disableUsers()
            return fixture.send { $0.path = $0.path.replacing(fixture.sessionID, with: "sess_another") }
        case "insufficient_role": return fixture.send { $0.demandedRole = "ADMIN" }
        case "login_too_old":
            fixture.server.advanceClock(by: Self.sensitiveAge)
            return fixture.send { if operation.id == "verify" { $0.demandedLogin = "600" } }
        case "insufficient_authentication":
            if operation.id == "verify" { return fixture.send { $0.demandedLogin = "acr=urn:gatehouse:2" } }
            // The first one needs no strong login.
            if ["addPasskey", "beginAddingPasskey"].contains(operation.id) { _ = fixture.addPasskey() }
            let request = fixture.request()
            try fixture.server.restart { $0["SENSITIVE_ACR"] = "urn:gatehouse:2" }
            return fixture.server.send(request)
        case "invalid_dev_secret":
            return fixture.send { Self.set(["email": "example@example.com", "devSecret": "wrong"], of: &$0) }
        case "dev_login_disabled":
            try fixture.server.restart { $0["DEV_LOGIN_SECRET"] = nil }
            return fixture.send()
        default: return nil
        }
    }
}

// MARK: - Administrators

extension Provocation {
    private func answerAboutSupport(_ fixture: ExampleFixture) throws -> TestResponse? {
        guard operation.isForAdministrators else { return nil }
        switch problem.code {
        case "invalid_request" where operation.method == "GET":
            return fixture.send { $0.path += "?role=nobody&reason=%01&type=nothing&step=week&cursor=x" }
        case "invalid_request": return fixture.send { Self.set(["reason": [], "role": "ADMIN"], of: &$0) }
        case "login_too_old":
            fixture.server.advanceClock(by: .seconds(3601))
            return fixture.send()
        case "payload_too_large":
            // To the responder, such a request is one for a path that does not exist.
            var request = fixture.request()
            request.body = [UInt8](repeating: 120, count: 65_537)
            return try SharedServers.nginx.get().send(request)
        case "insufficient_authentication": return fixture.send()
        case "not_found" where operation.path.contains("{id}"):
            return fixture.send { $0.path = operation.path.replacing("{id}", with: "user_another") }
        case "not_found":
            let token = try fixture.server.devLogin("ordinary@example.com").accessToken
            return fixture.send { fixture.authorise(&$0, by: token) }
        case "reason_required":
            return fixture.send { Self.set(["role": "ADMIN", "into": "user_another", "reason": " "], of: &$0) }
        case "own_account":
            return fixture.send { $0.path = operation.path.replacing("{id}", with: fixture.login.userID) }
        case "insufficient_role":
            let target = try fixture.server.devLogin("above@example.com").userID
            try fixture.server.testDatabase.execute("UPDATE users SET role = 'SUPER_ADMIN' WHERE id = '\(target)'")
            let request = fixture.request()
            try fixture.becomeAdministrator("ADMIN")
            return fixture.send { sent in
                sent = request
                sent.path = operation.path.replacing("{id}", with: target)
                fixture.authorise(&sent, by: fixture.login.accessToken)
            }
        case "merge_conflict" where operation.id == "mergeUsers":
            let other = try fixture.server.devLogin("another@example.com").userID
            return fixture.send { $0.path = operation.path.replacing("{id}", with: other) }
        case "merge_conflict":
            let request = fixture.request()
            try fixture.server.testDatabase.execute("DELETE FROM auth_accounts WHERE provider = 'APPLE'")
            return fixture.server.send(request)
        case "not_merged":
            let other = try fixture.server.devLogin("another@example.com").userID
            return fixture.send { $0.path = operation.path.replacing("{id}", with: other) }
        default: return nil
        }
    }
}

// MARK: - Attributes

extension Provocation {
    private func answerAboutAttributes(_ fixture: ExampleFixture) -> TestResponse? {
        func send(_ body: JSONObject, _ version: String?) -> TestResponse {
            fixture.server.send(.setAttributes(body, of: fixture.login.userID, version))
        }
        return switch problem.code {
        case "invalid_attributes": send(["not-a-name": 1], "*")
        case "precondition_failed": send(["plan": "pro"], "\"7\"")
        case "precondition_required": send(["plan": "pro"], nil)
        default: nil
        }
    }
}

// MARK: - Proofs

extension Provocation {
    private func answerAboutProof(_ fixture: ExampleFixture) throws -> TestResponse? {
        guard problem.code == "invalid_dpop_proof" else { return nil }
        let logins = [
            "signInWithApple", "signInForDevelopment", "signInWithProvider", "signInWithCode", "signInWithNumber",
            "exchangeCode", "signInWithPasskey", "signUpWithPasskey", "signInAsGuest",
        ]
        if logins.contains(operation.id) { return fixture.send { $0.headers.append(("DPoP", "x.y.z")) } }
        try fixture.bindSession()
        return fixture.send { request in
            if operation.id == "revokeToken" { request.body = Array("token=\(fixture.login.accessToken)".utf8) }
        }
    }
}

// MARK: - Refresh tokens

extension Provocation {
    private func answerAboutRefresh(_ fixture: ExampleFixture) throws -> TestResponse? {
        let server = fixture.server
        switch problem.code {
        case "invalid_refresh_token" where operation.id == "linkAccount":
            fixture.provider = "phone"
            return fixture.send {
                Self.set(["codeId": "any", "code": "any", "onTaken": "join", "refreshToken": "x.y.z"], of: &$0)
            }
        case "invalid_refresh_token":
            return fixture.send { request in
                Self.set(["refreshToken": "x.y.z"], of: &request)
                if problem.status == 401 { fixture.authorise(&request, by: nil) }
            }
        case "refresh_token_expired":
            server.advanceClock(by: .seconds(40 * 86_400))
            return fixture.send()
        case "refresh_token_revoked":
            _ = server.send(.post("/api/auth/logout", bearer: fixture.login.accessToken))
            return fixture.send()
        case "refresh_token_reused":
            let stolen = fixture.request()
            try fixture.refresh()
            try fixture.refresh()
            server.advanceClock(by: .seconds(31))
            return server.send(stolen)
        default: return nil
        }
    }
}

// MARK: - The server

extension Provocation {
    private func answerAboutState(_ fixture: ExampleFixture) throws -> TestResponse? {
        switch problem.code {
        case "not_found" where operation.isForServices:
            return fixture.send { $0.path = operation.path.replacing("{id}", with: "user_another") }
        case "not_found": return fixture.send { $0.path = $0.path.replacing(fixture.sessionID, with: "sess_another") }
        case "storage_unavailable":
            let request = fixture.request()
            try fixture.breakStore()
            return fixture.server.send(request)
        case "not_ready":
            fixture.server.apple.setKeyServerMode(.closing)
            return fixture.send()
        default: return nil
        }
    }
}
