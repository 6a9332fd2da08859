import Foundation
import JSON
import SQL
import StandIn
import StoreSupport
import TestSupport

/// A server of its own for one operation, with a request that the operation accepts.
final class ExampleFixture {
    let server: InProcessServer
    let operation: APIOperation
    /// A user who signed in with the development secret.
    private(set) var login: TestResponse

    /// Has the passkeys of the request's user.
    var authenticator = SoftwareAuthenticator()

    /// The provider in the path, in lower case.
    var provider: String

    /// That codes are asked for. Its limits are of no other server's.
    let number = "+86138" + String(UInt32.random(in: 10_000_000...99_999_999))

    init(_ operation: APIOperation, _ adjust: (inout [String: String]) -> Void = { _ in }) throws {
        self.operation = operation
        let isOfWeb = operation.isForBrowsers || operation.id == "exchangeCode"
        provider = operation.id == "receiveSecurityEvents" ? "google" : isOfWeb ? "acme" : "apple"
        let (providers, folder) = try ProviderFixture.shared.get()
        server = try InProcessServer { variables in
            variables["PROVIDERS_DIR"] = folder.path
            CodeFixture.addSettings(of: providers, to: &variables)
            variables["PUBLIC_URL"] = WebSignInFixture.origin
            variables["REDIRECT_URIS"] = WebSignInFixture.page
            variables["PASSKEY_RP_ID"] = PasskeyFixture.rpID
            variables["SERVICE_TOKENS"] = ServiceFixture.setting
            variables["GUESTS"] = "open"
            if operation.isForAdministrators { variables["ADMIN_API"] = "on" }
            adjust(&variables)
        }
        server.fetchProviderKeys(["ACME", "GOOGLE"])
        login = try server.devLogin("example@example.com")
        if operation.isForAdministrators { try becomeAdministrator("SUPER_ADMIN") }
    }

    var sessionID: String { login.refreshClaims["sid"]?.string ?? "" }

    /// A request that the operation accepts.
    func request() -> TestRequest {
        if operation.id == "signInWithCode" { return codeLogin() }
        if let request = webRequest() ?? passkeyRequest() { return request }
        if operation.isForServices { return serviceRequest }
        if operation.isForAdministrators { return administratorRequest }
        var request = TestRequest(
            method: operation.method,
            path: operation.path.replacing("{id}", with: sessionID).replacing("{provider}", with: provider))
        if operation.requiresAccessToken || operation.id == "logOut" { authorise(&request, by: login.accessToken) }
        if let body = body() { Self.set(body, of: &request) }
        if operation.id == "receiveSecurityEvents" {
            request.headers.append(("Content-Type", "application/secevent+jwt"))
            request.body = Array(securityEvent.utf8)
        }
        if operation.id == "revokeToken" { return .form(operation.path, "token=" + login.refreshToken) }
        return request
    }

    /// Sends the request, after a change.
    func send(_ change: (inout TestRequest) -> Void = { _ in }) -> TestResponse {
        var request = request()
        change(&request)
        return server.send(request)
    }

    func authorise(_ request: inout TestRequest, by token: String?) {
        request.headers.removeAll { $0.name == "Authorization" }
        if let token { request.headers.append(("Authorization", "Bearer " + token)) }
    }

    static func set(_ body: JSONObject, of request: inout TestRequest) {
        request.headers.removeAll { $0.name == "Content-Type" }
        request.headers.append(("Content-Type", "application/json"))
        request.body = body.bytes
    }

    private func body() -> JSONObject? {
        switch operation.id {
        case "signInWithApple": server.apple.login("example")
        case "linkAccount": provider == "apple" ? server.apple.login("example") : identity
        case "signInWithProvider": identityLogin
        case "requestCode": codeOrder
        case "signInWithNumber": numberToken
        case "signInAsGuest": ["nickname": "Ada"]
        case "signInForDevelopment":
            ["email": "example@example.com", "devSecret": .string(InProcessServer.devSecret)]
        case "refresh": ["refreshToken": .string(login.refreshToken)]
        case "updateUser": ["nickname": "Ada", "avatarUrl": nil, "onboardingCompleted": true]
        case "receiveAppleNotification": server.apple.notification("email-enabled", "example")
        default: nil
        }
    }
}

// MARK: - Services

extension ExampleFixture {
    private var serviceRequest: TestRequest {
        let id = login.userID
        var request: TestRequest =
            switch operation.id {
            case "lookUpUsers": .get(operation.path + "?id=" + id)
            case "setAttributes": .setAttributes(["plan": "pro"], of: id)
            case "introspectToken": .form(operation.path, "token=" + login.accessToken)
            default: .get(operation.path.replacing("{id}", with: id))
            }
        authorise(&request, by: ServiceFixture.token)
        return request
    }
}

// MARK: - Administrators

extension ExampleFixture {
    func becomeAdministrator(_ role: String) throws {
        try server.testDatabase.execute("UPDATE users SET role = '\(role)' WHERE id = '\(login.userID)'")
        login = try server.devLogin("example@example.com")
    }

    /// A user who has signed in with Apple, and whom no other request has changed.
    private var subject: String { logInWithApple("subject of support").userID }

    private var administratorRequest: TestRequest {
        var (id, body): (String, JSONObject) = (subject, ["reason": "an example"])
        switch operation.id {
        case "changeRole": body["role"] = "ADMIN"
        case "mergeUsers", "unmergeUser":
            body["into"] = .string((try? server.devLogin("other@example.com").userID) ?? "")
            let path = "/api/admin/users/\(id)/merge"
            if operation.id == "unmergeUser" { _ = server.send(.post(path, body, bearer: login.accessToken)) }
        case "retryEvent":
            id = "evt_example"
            try? server.testDatabase.execute(
                """
                INSERT INTO events (receiver, id, type, user_id, moment) VALUES ('r', '\(id)', 'user.disabled', 'user_x', 1)
                """)
        default: break
        }
        var request = TestRequest(method: operation.method, path: operation.path.replacing("{id}", with: id))
        authorise(&request, by: login.accessToken)
        if operation.description["requestBody"] != nil { Self.set(body, of: &request) }
        return request
    }
}

// MARK: - Providers

extension ExampleFixture {
    private var providers: StandInServer? { try? ProviderFixture.shared.get().providers }

    /// What an app sends after a login with Google, except the provider.
    var identity: JSONObject {
        let order: JSONObject = [
            "sub": "example", "aud": .string(ProviderFixture.audience), "claims": ["jti": .string(UUID().uuidString)],
        ]
        return (try? providers?.control("/openid/google/mint", order)) ?? [:]
    }

    /// The same as if the stand-in were another provider.
    func identity(at name: String) -> JSONObject {
        let issuer = name == "down" ? "http://127.0.0.1:1" : ""
        let order: JSONObject = [
            "sub": "example", "aud": .string(ProviderFixture.audience), "iss": .string(issuer),
        ]
        return (try? providers?.control("/openid/acme/mint", order)) ?? [:]
    }

    private var identityLogin: JSONObject {
        var body = identity
        body["provider"] = "GOOGLE"
        return body
    }

    private var securityEvent: String {
        let order: JSONObject = [
            "type": "sessions-revoked", "sub": "example", "aud": .string(ProviderFixture.audience),
        ]
        return (try? providers?.control("/openid/google/events/mint", order)["event"]?.string) ?? ""
    }
}

// MARK: - Signing in through a browser

extension ExampleFixture {
    /// Nil for another operation.
    private func webRequest() -> TestRequest? {
        switch operation.id {
        case "startWebSignIn": .get("/api/auth/acme/start?\(AppFlow().query)")
        case "finishWebSignIn", "finishWebSignInByForm": callback(TestBrowser(server))
        case "exchangeCode": exchange
        default: nil
        }
    }

    private var exchange: TestRequest {
        var back: TestBrowser.Arrival?
        // On a busy machine the stand-in may answer too late for the server.
        _ = Eventually.holds {
            back = try? TestBrowser(server).signIn("acme", as: "example")
            return back?.parameters["error"] != "temporarily_unavailable"
        }
        let code = back?.parameters["code"] ?? "none"
        return .post("/api/auth/exchange", ["code": .string(code), "codeVerifier": .string(AppFlow.verifier)])
    }

    private func callback(_ browser: TestBrowser) -> TestRequest {
        let page = (try? browser.start("acme"))?.header("location") ?? ""
        let arrival = (try? browser.choose("example", at: page)) ?? TestBrowser.arrival(at: "")
        let path = "/api/auth/acme/callback"
        let form = TestBrowser.form(arrival.parameters)
        var request: TestRequest =
            operation.method == "POST" ? .form(path, form) : .get("\(path)?\(form)")
        request.headers.append(("Cookie", browser.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")))
        return request
    }

    /// The operation for a page of another site, which has a session's cookie.
    func requestOfOtherSite() -> TestRequest {
        var request = request()
        request.headers.append(("Origin", "https://evil.example"))
        request.headers.append(("Cookie", "__Host-gatehouse=\(login.refreshToken)"))
        switch operation.id {
        case "signInWithCode": Self.set(["code": "123456", "session": "cookie"], of: &request)
        case "signInAsGuest": Self.set(["session": "cookie"], of: &request)
        case "signInWithPasskey", "signUpWithPasskey":
            Self.set(["passkeyId": "a", "credential": [:], "session": "cookie"], of: &request)
        case "exchangeCode": Self.set(["code": "a", "codeVerifier": "b", "session": "cookie"], of: &request)
        case "linkAccount":
            request.path = request.path.replacing("/apple", with: "/phone")
            Self.set(["codeId": "a", "code": "b", "session": "cookie"], of: &request)
        default:
            request.headers.removeAll { ["Content-Type", "Authorization"].contains($0.name) }
            request.body = []
        }
        return request
    }
}

// MARK: - Passkeys

extension ExampleFixture {
    var passkeys: PasskeyFixture? { providers.map { PasskeyFixture(CodeFixture($0, server)) } }

    /// Nil for an operation without a passkey.
    private func passkeyRequest() -> TestRequest? {
        guard let passkeys else { return nil }
        var request: TestRequest?
        switch operation.id {
        case "signInWithPasskey":
            if authenticator.passkeys.isEmpty { addPasskey() }
            request = try? passkeys.signIn(&authenticator)
        case "signUpWithPasskey":
            authenticator = SoftwareAuthenticator()
            request = try? passkeys.signUp(&authenticator)
        case "addPasskey":
            var device = SoftwareAuthenticator()
            request = try? passkeys.addition(&device, to: login)
        case "renamePasskey", "deletePasskey":
            let id = (try? passkeys.passkeys(of: login).first?["id"]?.string) ?? addPasskey()["id"]?.string
            let path = operation.path.replacing("{id}", with: id ?? "none")
            request = .post(path, operation.method == "PATCH" ? ["name": "Phone"] : [:], bearer: login.accessToken)
            request?.method = operation.method
        default: return nil
        }
        return request
    }

    @discardableResult
    func addPasskey() -> TestResponse {
        var device = SoftwareAuthenticator()
        let answer = passkeys.flatMap { try? server.send($0.addition(&device, to: login)) }
        authenticator = device
        return answer ?? server.send(.get("/"))
    }

    /// From now on, a user who has a passkey alone sends the request.
    func becomePasskeyUser() {
        guard let new = try? passkeys?.newUser() else { return }
        (authenticator, login) = (new.device, new.login)
    }
}

// MARK: - Codes

extension APIOperation {
    /// Whether the user of the request's number signs in.
    var isByNumber: Bool { ["signInWithCode", "signInWithNumber"].contains(id) }
}

extension ExampleFixture {
    private var codeOrder: JSONObject { ["channel": "phone", "to": .string(number)] }

    var numberToken: JSONObject { token(of: number) }

    func token(of number: String) -> JSONObject {
        (try? providers?.control("/number/mint", ["phone": .string(number)])) ?? [:]
    }

    /// A code that the stand-in's gateway has got. The number may get another one a minute later.
    private func sentCode() -> SentTestCode {
        let last = providers?.inbox.lastNumber ?? 0
        let id = server.send(.post("/api/auth/codes", codeOrder))["codeId"]?.string ?? "none"
        return SentTestCode(id: id, text: providers?.inbox.message(to: number, after: last)?.code ?? "none")
    }

    private func codeLogin() -> TestRequest {
        let code = sentCode()
        return .post("/api/auth/codes/\(code.id)", ["code": .string(code.text)])
    }

    /// Another user joins the owner of the number.
    func join() throws -> TestResponse {
        let code = sentCode()
        let login = try server.devLogin("joining@example.com")
        let body: JSONObject = [
            "codeId": .string(code.id), "code": .string(code.text), "onTaken": "join",
            "refreshToken": .string(login.refreshToken),
        ]
        return server.send(.post("/api/users/me/accounts/phone", body, bearer: login.accessToken))
    }

    /// Signs in with a code, and moves the clock until the number may get another one.
    func logInWithCode() -> TestResponse {
        let login = server.send(codeLogin())
        server.advanceClock(by: .seconds(61))
        return login
    }
}

// MARK: - States that make the operation fail

extension ExampleFixture {
    /// Signs in with Apple as another user or, for an operation that does so, as the user of the request.
    @discardableResult
    func logInWithApple(_ subject: String) -> TestResponse {
        server.send(.post("/api/auth/apple", server.apple.login(subject)))
    }

    /// From now on, a user who signed in with Apple sends the request.
    func becomeAppleUser() { login = logInWithApple("example") }

    /// From now on, the request is one of a bound session, without its proof.
    func bindSession() throws { login = try BoundClient(at: server, "example@example.com").tokens }

    /// Disables the users of the request.
    func disableUsers() throws {
        let byProvider = server.send(.post("/api/auth/identity", identityLogin))
        let byCode = operation.isByNumber ? [logInWithCode()] : []
        let byBrowser = operation.id == "exchangeCode" ? [server.send(exchange)] : []
        for login in [login, logInWithApple("example"), byProvider] + byCode + byBrowser {
            _ = try Shell.outcome(
                of: [Executable.gatehouse, "users", "disable", login.userID],
                environment: ["DATABASE_URL": server.testDatabase.url])
        }
        // Where the database does not announce it to this process, the next reading of the log finds it.
        if TestDatabase.isOnServer { try server.followRevocations() }
    }

    func refresh() throws { login = try server.refresh(login.refreshToken) }

    /// Renames every table, so that neither reading nor writing succeeds.
    func breakStore() throws {
        let tables = [
            "users", "auth_accounts", "refresh_tokens", "revocations", "documents", "codes", "code_sends",
            "authorization_requests", "authorization_codes", "passkeys",
        ]
        for table in tables {
            try server.testDatabase.execute("ALTER TABLE \(table) RENAME TO lost_\(table)")
        }
        guard !TestDatabase.isOnServer else { return }
        // The counter that processes increment after a revocation. The server checks it on each request.
        guard let sign = FileHandle(forWritingAtPath: server.database + "-sign") else {
            throw CocoaError(.fileNoSuchFile)
        }
        try sign.write(contentsOf: [UInt8](repeating: 1, count: 8))
        try sign.close()
    }
}

extension FakeAppleIssuer {
    /// The body of a notification as Apple's servers send it.
    func notification(_ type: String, _ subject: String) -> JSONObject {
        Mint(key: keys[0]).notification(
            NotificationOrder(type: type, subject: subject, audience: Self.bundleID),
            now: Int64(Date().timeIntervalSince1970))
    }
}
