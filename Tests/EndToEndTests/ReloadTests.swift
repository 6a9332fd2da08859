import Foundation
import JOSE
import JSON
import TestSupport
import Testing

/// What SIGHUP does to a server that goes on serving.
@Suite("Reading the settings anew")
struct ReloadTests {
    private static let access = (0..<3).map { "access secret number \($0) of more than thirty-two bytes" }
    private static let refresh = (0..<3).map { "refresh secret number \($0) of more than thirty-two bytes" }
    private static let (es256, edDSA) = (Settings.signingKey.pem, Settings.signingKeyBefore.pem)

    /// A round through every kind of key, which ends where it begins.
    private static let steps: [(settings: [String: String?], algorithm: String)] = [
        (["JWT_ACCESS_SECRET": access[1], "JWT_ACCESS_SECRET_PREVIOUS": access[0]], "HS256"),
        (["JWT_ACCESS_SECRET": access[1], "ACCESS_SIGNING_KEY_PREVIOUS": es256], "HS256"),
        (["JWT_ACCESS_SECRET": access[1], "ACCESS_SIGNING_KEY": es256], "ES256"),
        (["JWT_ACCESS_SECRET": nil, "ACCESS_SIGNING_KEY": edDSA, "ACCESS_SIGNING_KEY_PREVIOUS": es256], "EdDSA"),
        (["JWT_ACCESS_SECRET": access[0], "ACCESS_SIGNING_KEY_PREVIOUS": edDSA], "HS256"),
        (["JWT_ACCESS_SECRET": access[0]], "HS256"),
    ]

    /// The same for the refresh tokens and the vault, beside it.
    private static let others: [[String: String?]] = (0..<3).map { number in
        [
            "JWT_REFRESH_SECRET": refresh[number], "JWT_REFRESH_SECRET_PREVIOUS": refresh[(number + 2) % 3],
            "DATA_KEY": dataKey(number), "DATA_KEY_PREVIOUS": dataKey((number + 2) % 3),
            "DEV_LOGIN_SECRET": InProcessHouse.devSecret, "ACCESS_TOKEN_TTL": "\(15 + number)m",
        ]
    }

    private static func dataKey(_ number: Int) -> String {
        Base64URL.encode((0..<32).map { UInt8(32 * number + $0) })
    }

    @Test("rotates every key under load, again and again, without one refusal or lost answer")
    func everyKey() throws {
        let configured = try ConfiguredHouse([
            "JWT_ACCESS_SECRET": Self.access[0], "JWT_REFRESH_SECRET": Self.refresh[2], "DATA_KEY": Self.dataKey(2),
        ])
        let house = configured.house
        let clients = (0..<4).map { RestlessClient(house, "restless-\($0)@example.com", takesNoAnswer: false) }
        var witness = try house.devLogin("witness@example.com")
        for number in 0..<12 {
            let step = Self.steps[number % Self.steps.count]
            for client in clients { #expect(client.goesRound(1), "before step \(number)") }
            let next = try house.refresh(witness.refreshToken)
            let said = try configured.reload(step.settings.merging(Self.others[number % 3]) { $1 })
            #expect(said.contains("\"event\":\"reloaded\""), "\(said)")

            #expect(try house.verify(witness.accessToken).status == 204, "step \(number)")
            #expect(try house.me(next.accessToken).status == 200, "step \(number)")
            let retried = try house.refresh(witness.refreshToken)
            #expect(retried.refreshToken == next.refreshToken, "step \(number)")
            witness = try house.refresh(next.refreshToken)
            #expect(try CompactJWS(witness.accessToken).algorithmName == step.algorithm, "step \(number)")
            #expect(witness.json["expiresIn"]?.integer == Int64(15 + number % 3) * 60)
        }
        for client in clients { #expect(client.goesRound(1), "after all steps") }
        for client in clients { #expect(client.stop() == []) }
    }

    @Test("publishes another key set, under another tag")
    func keySet() throws {
        let configured = try ConfiguredHouse(["ACCESS_SIGNING_KEY": Self.es256])
        let first = try configured.house.send(.get("/.well-known/jwks.json"))
        #expect(first.json["keys"]?.array?.count == 1)
        configured.reload()
        #expect(try configured.house.send(.get("/.well-known/jwks.json")).header("etag") == first.header("etag"))
        try configured.reload(["ACCESS_SIGNING_KEY": Self.es256, "ACCESS_SIGNING_KEY_PREVIOUS": Self.edDSA])
        let second = try configured.house.send(.get("/.well-known/jwks.json"))
        #expect(second.json["keys"]?.array?.count == 2)
        #expect(second.header("etag") != first.header("etag"))
        try configured.reload(["ACCESS_SIGNING_KEY": nil])
        #expect(try configured.house.send(.get("/.well-known/jwks.json")).status == 404)
    }

    @Test("warns of a secret that is accepted beside a key, at the start and each time, until it is gone")
    func secretBesideKey() throws {
        let warning = "JWT_ACCESS_SECRET is set beside ACCESS_SIGNING_KEY"
        let configured = try ConfiguredHouse(["JWT_ACCESS_SECRET": Self.access[0]])
        let login = try configured.house.devLogin("ada@example.com")
        #expect(!configured.house.process.log.contains(warning))
        let both = ["JWT_ACCESS_SECRET": Self.access[0], "ACCESS_SIGNING_KEY": Self.es256] as [String: String?]
        #expect(try configured.reload(both).contains(warning))
        #expect(try configured.house.me(login.accessToken).status == 200, "it is as the warning says")
        #expect(try configured.reload(both).contains(warning))
        configured.house.process.stop()
        try configured.house.restart()
        #expect(configured.house.process.log.components(separatedBy: warning).count == 4)
        #expect(!configured.house.process.log.contains(Self.access[0]))
        let said = try configured.reload(["JWT_ACCESS_SECRET": nil, "ACCESS_SIGNING_KEY": Self.es256])
        #expect(said.contains("\"reloaded\"") && !said.contains(warning))
        #expect(try configured.house.me(login.accessToken).code == "invalid_access_token")
    }

    @Test("says by name what has changed, and what waits for a restart for as long as it does")
    func names() throws {
        let configured = try ConfiguredHouse(["WORKERS": "4"])
        func said(_ changes: [String: String?]) throws -> [[String]] {
            let line = try configured.reload(changes).split(separator: "\n").last { $0.contains("\"reloaded\"") } ?? ""
            let object = try JSONValue(parsing: Array(line.utf8)).object ?? [:]
            return ["changed", "needs_restart"].map { object[$0]?.array?.compactMap(\.string) ?? [] }
        }
        #expect(try said(["WORKERS": "4"]) == [[], []])
        #expect(try said(["WORKERS": "5", "TOKEN_ISSUER": "Xvalue"]) == [["TOKEN_ISSUER"], ["WORKERS"]])
        #expect(try said(["WORKERS": "5", "TOKEN_ISSUER": "Xvalue"]) == [[], ["WORKERS"]])
        let keys = "http://127.0.0.1:1/Xvalue"
        #expect(try said(["WORKERS": "4", "APPLE_JWKS_URL": keys]) == [["TOKEN_ISSUER"], ["APPLE_JWKS_URL"]])
        #expect(try said(["JWT_ACCESS_SECRET": Self.access[0], "WORKERS": "4"]) == [["JWT_ACCESS_SECRET"], []])
        #expect(!configured.house.process.log.contains("Xvalue"))
        #expect(!configured.house.process.log.contains(Self.access[0]))
    }

    @Test("keeps all as it is where anything is no good, and says every fault and no value")
    func refused() throws {
        let configured = try ConfiguredHouse()
        let house = configured.house
        let login = try house.devLogin("kept@example.com")
        let said = try configured.reload([
            "JWT_ACCESS_SECRET": "Xshort", "LOG_LEVEL": "Xloud", "ACCESS_TOKEN_TTL": "30s",
            "DEV_LOGIN_SECRET": "Xother",
        ])
        #expect(said.contains("JWT_ACCESS_SECRET is too short") && said.contains("LOG_LEVEL must be one of"))
        #expect(said.contains("\"event\":\"reload_refused\"") && said.contains("\"level\":\"error\""))
        #expect(!said.contains("Xshort") && !said.contains("Xloud") && !said.contains("Xother"))
        #expect(try house.me(login.accessToken).status == 200)
        #expect(try house.devLogin("kept@example.com").json["expiresIn"] == 900)

        try FileManager.default.removeItem(atPath: configured.file)
        #expect(configured.reload().contains("cannot be read: No such file or directory"))
        #expect(try house.devLogin("kept@example.com").status == 200)
        #expect(try configured.reload(["ACCESS_TOKEN_TTL": "30s"]).contains("\"reloaded\""))
        #expect(try house.devLogin("kept@example.com").json["expiresIn"] == 30)
    }

    @Test("changes how much is said")
    func logLevel() throws {
        let configured = try ConfiguredHouse(["LOG_LEVEL": "warning"])
        func ask(_ path: String) throws { _ = try configured.house.send(.get(path)) }
        func isTold(_ path: String) -> Bool { configured.house.process.log.contains("\"path\":\"\(path)\"") }
        try ask("/api/users/me/sessions")
        try configured.reload(["LOG_LEVEL": "info"])
        try ask("/api/users/me/accounts")
        try configured.reload(["LOG_LEVEL": "warning"])
        try ask("/api/users/me/export")
        try configured.reload(["LOG_LEVEL": "info"])
        try ask("/api/users/me")
        // Lines are written in their order: what is not there before the last one never comes.
        #expect(Eventually.holds { isTold("/api/users/me") })
        #expect(isTold("/api/users/me/accounts"))
        #expect(!isTold("/api/users/me/sessions") && !isTold("/api/users/me/export"))
    }

    @Test("opens and closes the door of the development login")
    func devLogin() throws {
        let configured = try ConfiguredHouse()
        let house = configured.house
        #expect(try house.devLogin("ada@example.com").status == 200)
        try configured.reload(["DEV_LOGIN_SECRET": "another secret for development"])
        #expect(try house.devLogin("ada@example.com").code == "invalid_dev_secret")
        try configured.reload(["APP_ENV": "production"])
        #expect(try house.devLogin("ada@example.com").code == "dev_login_disabled")
        try configured.reload([:])
        #expect(try house.devLogin("ada@example.com").status == 200)
    }

    @Test("a hundred times at once does no harm, and does not keep the process from ending")
    func storm() throws {
        let configured = try ConfiguredHouse()
        let client = RestlessClient(configured.house, "restless@example.com", takesNoAnswer: false)
        for _ in 0..<100 { configured.house.process.signal(SIGHUP) }
        #expect(client.goesRound(3))
        #expect(client.stop() == [])
        for _ in 0..<100 { configured.house.process.signal(SIGHUP) }
        configured.house.process.signal(SIGTERM)
        #expect(configured.house.process.wait() == 0)
    }
}
