import FakeApple
import Foundation
import JOSE
import JSON
import TestSupport

/// A house behind nginx, with everything on: Apple's side, a guarded location, the listener of the machine itself, and the
/// most talkative log. What people do there in a day, well or badly, can be done to it, and what of it is nobody's to read
/// is remembered.
final class BusyDay: @unchecked Sendable {
    let house: FrontedHouse
    let apple: FakeAppleServers
    let localPort: UInt16
    private(set) var secrets: Set<String> = []
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let apple = try FakeAppleServers(in: folder)
        self.apple = apple
        localPort = try FreePort.any()
        house = try FrontedHouse(
            values: ["LISTEN_LOCAL": "127.0.0.1:\(localPort)"],
            locations: "location /notes/ { include snippets/gatehouse-guard.conf; empty_gif; }"
        ) { variables in
            DeveloperHouse.introduce(&variables, to: apple)
            variables["APPLE_NONCE"] = "optional"
            variables["PUBLIC_URL"] = "https://localhost"
        }
        secrets = [
            Settings.accessSecret, Settings.refreshSecret, DeveloperHouse.dataKey, FrontedHouse.devSecret,
        ]
        let developer = folder.file("apple/AuthKey_\(apple.service.developer.keyID).p8")
        let pem = try String(contentsOfFile: developer, encoding: .utf8).split(separator: "\n").map(String.init)
        secrets.formUnion(pem.filter { !$0.hasPrefix("-----") })
    }

    /// All that was written about it: by the server, and by nginx wherever it writes.
    func logs() throws -> String {
        let nginx = house.folder.file("nginx/logs")
        let files = try FileManager.default.contentsOfDirectory(atPath: nginx).map { nginx + "/" + $0 }
        let all = [house.folder.file("nginx.out"), house.folder.file("gatehouse.log")] + files
        return all.map { file in
            String(decoding: FileManager.default.contents(atPath: file) ?? Data(), as: UTF8.self)
        }.joined(separator: "\n")
    }

    /// What the machine itself is told.
    func ask(_ path: String, _ options: [String] = []) throws -> Answer {
        Answer(
            parsing: try Shell.run(
                ["curl", "--silent", "--include", "--max-time", "20"] + options + [
                    "http://127.0.0.1:\(localPort)\(path)"
                ]))
    }

    /// A token, which is none the less one in parts.
    private func keep(_ texts: String...) {
        for text in texts where !text.isEmpty {
            secrets.insert(text)
            let parts = text.split(separator: ".").map(String.init)
            if parts.count == 3 { secrets.formUnion(parts.dropFirst()) }
        }
    }

    @discardableResult
    private func send(_ call: Call) throws -> Answer {
        let answer = try house.send(call)
        keep(answer.accessToken, answer.refreshToken, answer["nonce"]?.string ?? "")
        return answer
    }
}

// MARK: - What people do

extension BusyDay {
    func pass() throws {
        let login = try signInWithApple("ann-of-green-gables")
        let other = try devLogin("private-person@example.com", nickname: "Private Nickname")
        try goAbout(other)
        try refuseAppleTokens()
        try refuseOurTokens(like: login)
        try misplaceTokens(login.accessToken)
        try tellFromApple("ann-of-green-gables")
        try send(.post("/api/auth/logout", bearer: other.accessToken))
        try leave(by: "bob-the-builder")
    }

    private func signInWithApple(_ subject: String, _ adjust: (inout MintOrder) -> Void = { _ in }) throws -> Answer {
        let challenge = try send(.post("/api/auth/apple/challenge", bearer: nil))
        let nonce = challenge["nonce"]?.string ?? ""
        var body = apple.login(subject) {
            $0.nonce = nonce
            $0.email = subject + "@example.org"
            ($0.givenName, $0.familyName) = ("Givenname", "Familyname")
            adjust(&$0)
        }
        body["nonce"] = .string(nonce)
        keep(
            body["identityToken"]?.string ?? "", body["authorizationCode"]?.string ?? "", subject, "Givenname",
            "Familyname")
        return try send(.post("/api/auth/apple", body))
    }

    private func devLogin(_ email: String, nickname: String) throws -> Answer {
        keep(email, nickname)
        return try send(
            .post(
                "/api/auth/dev-login",
                ["email": .string(email), "devSecret": .string(FrontedHouse.devSecret), "nickname": .string(nickname)]))
    }

    private func goAbout(_ login: Answer) throws {
        keep("https://example.com/private-avatar.png")
        let token = login.accessToken
        for path in ["", "/sessions", "/accounts", "/export"] { try send(.get("/api/users/me" + path, bearer: token)) }
        var change = Call.post("/api/users/me", ["avatarUrl": "https://example.com/private-avatar.png"], bearer: token)
        change.method = "PATCH"
        try send(change)
        try send(.get("/notes/1", bearer: token))
        // The fourth is too late, and ends the session.
        let second = try send(.refresh(login.refreshToken))
        try send(.refresh(login.refreshToken))
        try send(.refresh(second.refreshToken))
        try send(.refresh(login.refreshToken))
    }

    private func refuseAppleTokens() throws {
        _ = try signInWithApple("eve-the-first") { $0.claims = ["aud": "com.example.other"] }
        _ = try signInWithApple("eve-the-second") { $0.claims = ["exp": 1] }
        _ = try signInWithApple("eve-the-third") { $0.header = ["kid": "NOBODYSKEY"] }
        for token in ["malformed-identity-token", "ey.malformed-payload.malformed-signature"] {
            keep(token, "malformed-code")
            try send(
                .post("/api/auth/apple", ["identityToken": .string(token), "authorizationCode": "malformed-code"]))
        }
        keep("guessed-dev-secret", "guesser@example.net")
        try send(
            .post("/api/auth/dev-login", ["email": "guesser@example.net", "devSecret": "guessed-dev-secret"]))
        var broken = Call.post("/api/auth/apple", [:])
        broken.body = Array(#"{"identityToken":"token-in-broken-json","identityToken":"#.utf8)
        keep("token-in-broken-json")
        try send(broken)
    }

    private func refuseOurTokens(like login: Answer) throws {
        let raised = try Forgery.raised(login.accessToken)
        let forged = try Forgery.refreshToken(like: String(login.refreshToken.split(separator: ".")[1]), generation: 9)
        keep(raised, forged, "malformed-access-token", "malformed-refresh-token")
        for token in [raised, forged, "malformed-access-token"] {
            try send(.get("/api/users/me", bearer: token))
            try send(.get("/notes/1", bearer: token))
        }
        for token in [forged, raised, "malformed-refresh-token"] { try send(.refresh(token)) }
    }

    /// Where clients put tokens that they should not put there.
    private func misplaceTokens(_ token: String) throws {
        let paths = [
            "/api/users/me?access_token=\(token)", "/api/users/me/\(token)", "/\(token)",
            "/notes/\(token)?token=\(token)",
            "/api/users/me/sessions/\(token)", "/api/auth/verify/\(token)", "/.well-known/\(token)/x",
            "/api/users/somebody@example.net", "/api/users/somebody%40example.net/",
        ]
        keep("somebody@example.net", "somebody%40example.net", "token-in-a-raw-request-line")
        for path in paths {
            for method in ["GET", "DELETE"] {
                var call = Call.get(path, bearer: token)
                call.method = method
                call.headers += [
                    ("Cookie", "session=\(token)"), ("User-Agent", token), ("X-Request-Id", token), ("X-Token", token),
                    ("Referer", "https://example.net/?\(token)"), ("Content-Type", token), ("If-None-Match", token),
                ]
                try send(call)
            }
        }
        for line in [
            "GET /?token-in-a-raw-request-line HTTP/9.9", "token-in-a-raw-request-line",
            "GET /\u{1}token-in-a-raw-request-line",
        ] {
            _ = try house.send(raw: line + "\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        }
        _ = try ask("/metrics?token=\(token)")
        _ = try ask("/\(token)", ["--header", "Host: \(token.prefix(60)).example"])
        let peer = try house.served.connect()
        try peer.send(Array(token.utf8))
    }

    private func tellFromApple(_ subject: String) throws {
        for type in ["email-disabled", "consent-revoked"] {
            var order = NotificationOrder(type: type, subject: subject, audience: FakeAppleStand.bundleID)
            order.email = subject + "@example.org"
            let body = apple.service.notification(order)
            keep(body["payload"]?.string ?? "")
            try send(.post("/api/auth/apple/notifications", body))
        }
        keep("malformed.notice-of-nobody.signature-of-nobody")
        try send(.post("/api/auth/apple/notifications", ["payload": "malformed.notice-of-nobody.signature-of-nobody"]))
    }

    /// Signs in, waits for what Apple gives, and leaves for good.
    private func leave(by subject: String) throws {
        let login = try signInWithApple(subject)
        _ = Eventually.holds { apple.service.authorisations.contains { $0.subject == subject } }
        let bytes = FileManager.default.contents(atPath: folder.file("apple/grants.json")) ?? Data()
        let grants = (try? JSONValue(parsing: Array(bytes)))?.object?["grants"]?.array ?? []
        for grant in grants { keep(grant.object?["refreshToken"]?.string ?? "") }
        _ = try house.deleteAccount(login)
    }
}
