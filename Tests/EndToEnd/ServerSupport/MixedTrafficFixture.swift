import Foundation
import JOSE
import JSON
import StandIn
import TestSupport
import Testing

/// A server behind nginx with every feature on: Apple, a guarded location, the local listener and the debug log.
/// It sends valid and invalid requests of all kinds and remembers every secret in them.
final class MixedTrafficFixture: @unchecked Sendable {
    let server: ServerBehindNginx
    let apple: FakeAppleServer
    let localPort: UInt16
    private(set) var secrets: Set<String> = []
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let apple = try FakeAppleServer(in: folder)
        self.apple = apple
        localPort = try FreePort.any()
        server = try ServerBehindNginx(
            values: ["LISTEN_LOCAL": "127.0.0.1:\(localPort)"],
            locations: "location /notes/ { include snippets/gatehouse-guard.conf; empty_gif; }"
        ) { variables in
            AppleDeveloperFixture.configure(&variables, for: apple)
            variables["APPLE_NONCE"] = "optional"
            // A stolen token is theft at once.
            variables["REFRESH_REUSE_GRACE"] = "0s"
            variables["PUBLIC_URL"] = "https://localhost"
            variables["SERVICE_TOKENS"] = ServiceFixture.setting
        }
        secrets = [
            TestSettings.accessSecret, TestSettings.refreshSecret, AppleDeveloperFixture.dataKey,
            ServerBehindNginx.devSecret, ServiceFixture.token, ServiceFixture.otherToken,
        ]
        let developer = folder.file("apple/AuthKey_\(apple.service.developer.keyID).p8")
        let pem = try String(contentsOfFile: developer, encoding: .utf8).split(separator: "\n").map(String.init)
        secrets.formUnion(pem.filter { !$0.hasPrefix("-----") })
    }

    /// The logs of the server and of nginx.
    func logs() throws -> String {
        let nginx = server.folder.file("nginx/logs")
        let files = try FileManager.default.contentsOfDirectory(atPath: nginx).map { nginx + "/" + $0 }
        let all = [server.folder.file("nginx.out"), server.folder.file("gatehouse.log")] + files
        return all.map { file in
            String(decoding: FileManager.default.contents(atPath: file) ?? Data(), as: UTF8.self)
        }.joined(separator: "\n")
    }

    /// Sends a request to the local listener.
    func sendLocally(_ path: String, _ options: [String] = []) throws -> TestResponse {
        TestResponse(
            parsing: try Shell.run(
                ["curl", "--silent", "--include", "--max-time", "20"] + options + [
                    "http://127.0.0.1:\(localPort)\(path)"
                ]))
    }

    /// Adds the texts and, of a token, its payload and signature.
    private func addSecrets(_ texts: String...) {
        for text in texts where !text.isEmpty {
            secrets.insert(text)
            let parts = text.split(separator: ".").map(String.init)
            if parts.count == 3 { secrets.formUnion(parts.dropFirst()) }
        }
    }

    @discardableResult
    private func send(_ request: TestRequest) throws -> TestResponse {
        let response = try server.send(request)
        addSecrets(response.accessToken, response.refreshToken, response["nonce"]?.string ?? "")
        return response
    }
}

// MARK: - Traffic

extension MixedTrafficFixture {
    func sendTraffic() throws {
        let login = try logInWithApple("ann-of-green-gables")
        let other = try devLogin("private-person@example.com", nickname: "Private Nickname")
        _ = try devLogin("private-person@example.com", nickname: "Private Nickname")
        try askAsService(about: other)
        try useSession(other)
        try sendBadAppleTokens()
        try sendForgedTokens(like: login)
        try sendMisplacedTokens(login.accessToken)
        try sendAppleNotifications("ann-of-green-gables")
        try send(.post("/api/auth/logout", bearer: other.accessToken))
        try logInAndDeleteAccount(as: "bob-the-builder")
    }

    private func logInWithApple(_ subject: String, _ adjust: (inout MintOrder) -> Void = { _ in }) throws
        -> TestResponse
    {
        let challenge = try send(.post("/api/auth/apple/challenge", bearer: nil))
        let nonce = challenge["nonce"]?.string ?? ""
        var body = apple.login(subject) {
            $0.nonce = nonce
            $0.email = subject + "@example.org"
            ($0.givenName, $0.familyName) = ("Givenname", "Familyname")
            adjust(&$0)
        }
        body["nonce"] = .string(nonce)
        addSecrets(
            body["identityToken"]?.string ?? "", body["authorizationCode"]?.string ?? "", subject, "Givenname",
            "Familyname")
        return try send(.post("/api/auth/apple", body))
    }

    private func devLogin(_ email: String, nickname: String) throws -> TestResponse {
        addSecrets(email, nickname)
        return try send(
            .post(
                "/api/auth/dev-login",
                [
                    "email": .string(email), "devSecret": .string(ServerBehindNginx.devSecret),
                    "nickname": .string(nickname),
                ]))
    }

    private func useSession(_ login: TestResponse) throws {
        addSecrets("https://example.com/private-avatar.png")
        let token = login.accessToken
        for path in ["", "/sessions", "/accounts", "/export"] { try send(.get("/api/users/me" + path, bearer: token)) }
        var change = TestRequest.post(
            "/api/users/me", ["avatarUrl": "https://example.com/private-avatar.png"], bearer: token)
        change.method = "PATCH"
        try send(change)
        try send(.get("/notes/1", bearer: token))
        // The fourth refresh is a reuse and ends the session.
        let second = try send(.refresh(login.refreshToken))
        try send(.refresh(login.refreshToken))
        try send(.refresh(second.refreshToken))
        try send(.refresh(login.refreshToken))
    }

    private func askAsService(about login: TestResponse) throws {
        let origin = "http://127.0.0.1:\(localPort)"
        addSecrets("unknown-private-person", "wrong-service-token-0123456789")
        for token in [ServiceFixture.token, "wrong-service-token-0123456789"] {
            for path in ["/users/" + login.userID, "/users?id=\(login.userID)&id=unknown-private-person"] {
                _ = try server.send(.get(path, bearer: token), at: origin)
            }
            var request = TestRequest.form("/introspect", "token=" + login.accessToken)
            request.headers.append(("Authorization", "Bearer " + token))
            _ = try server.send(request, at: origin)
        }
    }

    private func sendBadAppleTokens() throws {
        _ = try logInWithApple("eve-the-first") { $0.claims = ["aud": "com.example.other"] }
        _ = try logInWithApple("eve-the-second") { $0.claims = ["exp": 1] }
        _ = try logInWithApple("eve-the-third") { $0.header = ["kid": "UNKNOWNKEY"] }
        for token in ["malformed-identity-token", "ey.malformed-payload.malformed-signature"] {
            addSecrets(token, "malformed-code")
            try send(
                .post("/api/auth/apple", ["identityToken": .string(token), "authorizationCode": "malformed-code"]))
        }
        addSecrets("guessed-dev-secret", "guesser@example.net")
        try send(
            .post("/api/auth/dev-login", ["email": "guesser@example.net", "devSecret": "guessed-dev-secret"]))
        var broken = TestRequest.post("/api/auth/apple", [:])
        broken.body = Array(#"{"identityToken":"token-in-broken-json","identityToken":"#.utf8)
        addSecrets("token-in-broken-json")
        try send(broken)
    }

    private func sendForgedTokens(like login: TestResponse) throws {
        let withRoleRaised = try ForgedToken.withRoleRaised(login.accessToken)
        let parts = login.refreshToken.split(separator: ".")
        try #require(parts.count == 3, "\(login.status) \(login.json)")
        let forged = try ForgedToken.refreshToken(like: String(parts[1]), generation: 9)
        addSecrets(withRoleRaised, forged, "malformed-access-token", "malformed-refresh-token")
        for token in [withRoleRaised, forged, "malformed-access-token"] {
            try send(.get("/api/users/me", bearer: token))
            try send(.get("/notes/1", bearer: token))
        }
        for token in [forged, withRoleRaised, "malformed-refresh-token"] { try send(.refresh(token)) }
    }

    /// Sends tokens in places where clients should not send them.
    private func sendMisplacedTokens(_ token: String) throws {
        let paths = [
            "/api/users/me?access_token=\(token)", "/api/users/me/\(token)", "/\(token)",
            "/notes/\(token)?token=\(token)",
            "/api/users/me/sessions/\(token)", "/api/auth/verify/\(token)", "/.well-known/\(token)/x",
            "/api/users/unknown@example.net", "/api/users/unknown%40example.net/",
        ]
        addSecrets("unknown@example.net", "unknown%40example.net", "token-in-a-raw-request-line")
        for path in paths {
            for method in ["GET", "DELETE"] {
                var request = TestRequest.get(path, bearer: token)
                request.method = method
                request.headers += [
                    ("Cookie", "session=\(token)"), ("User-Agent", token), ("X-Request-Id", token), ("X-Token", token),
                    ("Referer", "https://example.net/?\(token)"), ("Content-Type", token), ("If-None-Match", token),
                ]
                try send(request)
            }
        }
        for line in [
            "GET /?token-in-a-raw-request-line HTTP/9.9", "token-in-a-raw-request-line",
            "GET /\u{1}token-in-a-raw-request-line",
        ] {
            _ = try server.send(raw: line + "\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        }
        _ = try sendLocally("/metrics?token=\(token)")
        _ = try sendLocally("/\(token)", ["--header", "Host: \(token.prefix(60)).example"])
        let peer = try server.backend.connect()
        try peer.send(Array(token.utf8))
    }

    private func sendAppleNotifications(_ subject: String) throws {
        for type in ["email-disabled", "consent-revoked"] {
            var order = NotificationOrder(type: type, subject: subject, audience: FakeAppleIssuer.bundleID)
            order.email = subject + "@example.org"
            let body = apple.service.notification(order)
            addSecrets(body["payload"]?.string ?? "")
            try send(.post("/api/auth/apple/notifications", body))
        }
        addSecrets("malformed.forged-notification.forged-signature")
        try send(.post("/api/auth/apple/notifications", ["payload": "malformed.forged-notification.forged-signature"]))
    }

    /// Logs in, waits for Apple's grant and deletes the account.
    private func logInAndDeleteAccount(as subject: String) throws {
        let login = try logInWithApple(subject)
        _ = Eventually.holds { apple.service.authorisations.contains { $0.subject == subject } }
        let bytes = FileManager.default.contents(atPath: folder.file("apple/grants.json")) ?? Data()
        let grants = (try? JSONValue(parsing: Array(bytes)))?.object?["grants"]?.array ?? []
        for grant in grants { addSecrets(grant.object?["refreshToken"]?.string ?? "") }
        _ = try server.deleteAccount(login)
    }
}
