import Foundation
import JOSE
import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// SIGHUP makes the running server reload its settings.
@Suite("Reloading the settings")
struct ReloadTests {
    private static let access = (0..<3).map { "access secret number \($0) of more than thirty-two bytes" }
    private static let refresh = (0..<3).map { "refresh secret number \($0) of more than thirty-two bytes" }
    private static let dataKeys: [String] = (0..<3).map { AppleDeveloperFixture.key($0) }
    private static let (es256, edDSA) = (TestSettings.signingKey.pem, TestSettings.signingKeyBefore.pem)

    /// A cycle through all kinds of access token keys.
    private static let steps: [(settings: [String: String?], algorithm: String)] = [
        (["JWT_ACCESS_SECRET": access[1], "JWT_ACCESS_SECRET_PREVIOUS": access[0]], "HS256"),
        (["JWT_ACCESS_SECRET": access[1], "ACCESS_SIGNING_KEY_PREVIOUS": es256], "HS256"),
        (["JWT_ACCESS_SECRET": access[1], "ACCESS_SIGNING_KEY": es256], "ES256"),
        (["JWT_ACCESS_SECRET": nil, "ACCESS_SIGNING_KEY": edDSA, "ACCESS_SIGNING_KEY_PREVIOUS": es256], "EdDSA"),
        (["JWT_ACCESS_SECRET": access[0], "ACCESS_SIGNING_KEY_PREVIOUS": edDSA], "HS256"),
        (["JWT_ACCESS_SECRET": access[0]], "HS256"),
    ]

    /// A cycle of refresh token secrets and data keys, applied together with the steps above.
    private static let others: [[String: String?]] = (0..<3).map { (number: Int) in
        let before = (number + 2) % 3
        return [
            "JWT_REFRESH_SECRET": refresh[number], "JWT_REFRESH_SECRET_PREVIOUS": refresh[before],
            "DATA_KEY": dataKeys[number], "DATA_KEY_PREVIOUS": dataKeys[before],
            "DEV_LOGIN_SECRET": InProcessServer.devSecret, "ACCESS_TOKEN_TTL": "\(15 + number)m",
        ]
    }

    @Test("Every key is rotated under load without a refused or lost response")
    func everyKey() throws {
        let configured = try ServerWithConfigurationFile([
            "JWT_ACCESS_SECRET": Self.access[0], "JWT_REFRESH_SECRET": Self.refresh[2], "DATA_KEY": Self.dataKeys[2],
        ])
        let server = configured.server
        let clients = (0..<4).map { LoopingClient(server, "looping-\($0)@example.com") }
        var witness = try server.devLogin("witness@example.com")
        for number in 0..<12 {
            let step = Self.steps[number % Self.steps.count]
            for client in clients { #expect(client.completesRounds(1), "before step \(number)") }
            let next = try server.refresh(witness.refreshToken)
            let said = try configured.reload(step.settings.merging(Self.others[number % 3]) { $1 })
            #expect(said.contains("\"event\":\"reloaded\""), "\(said)")

            #expect(try server.verify(witness.accessToken).status == 204, "step \(number)")
            #expect(try server.me(next.accessToken).status == 200, "step \(number)")
            let retried = try server.refresh(witness.refreshToken)
            #expect(retried.refreshToken == next.refreshToken, "step \(number)")
            witness = try server.refresh(next.refreshToken)
            #expect(try CompactJWS(witness.accessToken).algorithmName == step.algorithm, "step \(number)")
            #expect(witness.json["expiresIn"]?.integer == Int64(15 + number % 3) * 60)
        }
        for client in clients { #expect(client.completesRounds(1), "after all steps") }
        for client in clients { #expect(client.stop() == []) }
    }

    @Test("The key set and its ETag change")
    func keySet() throws {
        let configured = try ServerWithConfigurationFile(["ACCESS_SIGNING_KEY": Self.es256])
        let first = try configured.server.send(.get("/.well-known/jwks.json"))
        #expect(first.json["keys"]?.array?.count == 1)
        configured.reload()
        #expect(try configured.server.send(.get("/.well-known/jwks.json")).header("etag") == first.header("etag"))
        try configured.reload(["ACCESS_SIGNING_KEY": Self.es256, "ACCESS_SIGNING_KEY_PREVIOUS": Self.edDSA])
        let second = try configured.server.send(.get("/.well-known/jwks.json"))
        #expect(second.json["keys"]?.array?.count == 2)
        #expect(second.header("etag") != first.header("etag"))
        try configured.reload(["ACCESS_SIGNING_KEY": nil])
        #expect(try configured.server.send(.get("/.well-known/jwks.json")).status == 404)
    }

    @Test("A warning is logged at the start and each reload while a secret is accepted beside a key")
    func secretBesideKey() throws {
        let warning = "JWT_ACCESS_SECRET is set beside ACCESS_SIGNING_KEY"
        let configured = try ServerWithConfigurationFile(["JWT_ACCESS_SECRET": Self.access[0]])
        let login = try configured.server.devLogin("ada@example.com")
        #expect(!configured.server.process.log.contains(warning))
        let both = ["JWT_ACCESS_SECRET": Self.access[0], "ACCESS_SIGNING_KEY": Self.es256] as [String: String?]
        #expect(try configured.reload(both).contains(warning))
        #expect(try configured.server.me(login.accessToken).status == 200, "the secret is still accepted")
        #expect(try configured.reload(both).contains(warning))
        configured.server.process.stop()
        try configured.server.restart()
        #expect(Eventually.holds { configured.server.process.log.components(separatedBy: warning).count == 4 })
        #expect(!configured.server.process.log.contains(Self.access[0]))
        let said = try configured.reload(["JWT_ACCESS_SECRET": nil, "ACCESS_SIGNING_KEY": Self.es256])
        #expect(said.contains("\"reloaded\"") && !said.contains(warning))
        #expect(try configured.server.me(login.accessToken).code == "invalid_access_token")
    }

    @Test("The log names the changed settings and those that need a restart")
    func names() throws {
        let configured = try ServerWithConfigurationFile(["WORKERS": "4"])
        func reloadAndReadLog(_ changes: [String: String?]) throws -> [[String]] {
            let line = try configured.reload(changes).split(separator: "\n").last { $0.contains("\"reloaded\"") } ?? ""
            let object = try JSONValue(parsing: Array(line.utf8)).object ?? [:]
            return ["changed", "needs_restart"].map { object[$0]?.array?.compactMap(\.string) ?? [] }
        }
        #expect(try reloadAndReadLog(["WORKERS": "4"]) == [[], []])
        #expect(try reloadAndReadLog(["WORKERS": "5", "TOKEN_ISSUER": "Xvalue"]) == [["TOKEN_ISSUER"], ["WORKERS"]])
        #expect(try reloadAndReadLog(["WORKERS": "5", "TOKEN_ISSUER": "Xvalue"]) == [[], ["WORKERS"]])
        let keys = "http://127.0.0.1:1/Xvalue"
        #expect(
            try reloadAndReadLog(["WORKERS": "4", "APPLE_JWKS_URL": keys]) == [["TOKEN_ISSUER"], ["APPLE_JWKS_URL"]])
        #expect(
            try reloadAndReadLog(["JWT_ACCESS_SECRET": Self.access[0], "WORKERS": "4"]) == [["JWT_ACCESS_SECRET"], []])
        #expect(!configured.server.process.log.contains("Xvalue"))
        #expect(!configured.server.process.log.contains(Self.access[0]))
    }

    @Test("The log level changes")
    func logLevel() throws {
        let configured = try ServerWithConfigurationFile(["LOG_LEVEL": "warning"])
        func ask(_ path: String) throws { _ = try configured.server.send(.get(path)) }
        func isLogged(_ path: String) -> Bool { configured.server.process.log.contains("\"path\":\"\(path)\"") }
        try ask("/api/users/me/sessions")
        try configured.reload(["LOG_LEVEL": "info"])
        try ask("/api/users/me/accounts")
        try configured.reload(["LOG_LEVEL": "warning"])
        try ask("/api/users/me/export")
        try configured.reload(["LOG_LEVEL": "info"])
        try ask("/api/users/me")
        // Lines are written in order, so a line that is missing before the last one was not written.
        #expect(Eventually.holds { isLogged("/api/users/me") })
        #expect(isLogged("/api/users/me/accounts"))
        #expect(!isLogged("/api/users/me/sessions") && !isLogged("/api/users/me/export"))
    }

    @Test("The development login is enabled and disabled")
    func devLogin() throws {
        let configured = try ServerWithConfigurationFile()
        let server = configured.server
        #expect(try server.devLogin("ada@example.com").status == 200)
        try configured.reload(["DEV_LOGIN_SECRET": "another secret for development"])
        #expect(try server.devLogin("ada@example.com").code == "invalid_dev_secret")
        try configured.reload(["APP_ENV": "production"])
        #expect(try server.devLogin("ada@example.com").code == "dev_login_disabled")
        try configured.reload([:])
        #expect(try server.devLogin("ada@example.com").status == 200)
    }

    @Test("A hundred concurrent reloads neither fail a request nor prevent a shutdown")
    func concurrentReloads() throws {
        let configured = try ServerWithConfigurationFile()
        let client = LoopingClient(configured.server, "looping@example.com")
        for _ in 0..<100 { configured.server.process.signal(SIGHUP) }
        #expect(client.completesRounds(3))
        #expect(client.stop() == [])
        for _ in 0..<100 { configured.server.process.signal(SIGHUP) }
        configured.server.process.signal(SIGTERM)
        #expect(configured.server.process.wait() == 0)
    }
}

/// A reload reads the files of the providers again.
@Suite("Reloading the providers")
struct ProviderReloadTests {
    private let folder: TemporaryFolder
    private let configured: ServerWithConfigurationFile
    private var settings: [String: String?] { ["PROVIDERS_DIR": folder.path] }

    init() throws {
        folder = try TemporaryFolder()
        configured = try ServerWithConfigurationFile(["PROVIDERS_DIR": folder.path])
    }

    private func write(_ text: String, to name: String) throws {
        try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
        chmod(folder.file(name), 0o600)
    }

    /// The names of settings that changed, and of those that need a restart.
    private func reload() throws -> [[String]] {
        let line = try configured.reload(settings).split(separator: "\n").last { $0.contains("\"reloaded\"") } ?? ""
        let object = try JSONValue(parsing: Array(line.utf8)).object ?? [:]
        return ["changed", "needs_restart"].map { object[$0]?.array?.compactMap(\.string) ?? [] }
    }

    @Test("The log names the changed settings of each file; none needs a restart")
    func names() throws {
        let name = "\(URL(fileURLWithPath: folder.path).lastPathComponent)/wechat"
        try write("KIND=wechat\nAPP_ID=wx1\nAPP_SECRET_FILE=\(folder.file("secret"))\n", to: "wechat.conf")
        try write("Xsecret", to: "secret")
        #expect(try reload() == [["APP_ID", "APP_SECRET", "KIND"].map { "\(name): \($0)" }, []])
        #expect(try reload() == [[], []])
        try write("Xother", to: "secret")
        #expect(try reload() == [["\(name): APP_SECRET"], []])
        try FileManager.default.removeItem(atPath: folder.file("wechat.conf"))
        #expect(try reload() == [["APP_ID", "APP_SECRET", "KIND"].map { "\(name): \($0)" }, []])
        for secret in ["Xsecret", "Xother"] { #expect(!configured.server.process.log.contains(secret)) }
    }

    @Test("A faulty or missing file is refused, and the earlier settings stay in force until the next good one")
    func refused() throws {
        try write("KIND=wechat\nAPP_ID=wx1\nAPP_SECRET=Xsecret Xsecret\n", to: "wechat.conf")
        let log = try configured.reload(settings.merging(["ACCESS_TOKEN_TTL": "30s"]) { $1 })
        #expect(log.contains("\"event\":\"reload_refused\"") && log.contains("/wechat.conf: APP_SECRET must be up to"))
        #expect(!log.contains("Xsecret"))
        #expect(log.contains("\"level\":\"error\""))
        #expect(try configured.server.devLogin("ada@example.com").json["expiresIn"] == 900)

        try FileManager.default.removeItem(atPath: configured.path)
        #expect(configured.reload().contains("cannot be read: No such file or directory"))
        #expect(try configured.server.devLogin("ada@example.com").json["expiresIn"] == 900)
        try FileManager.default.removeItem(atPath: folder.file("wechat.conf"))
        #expect(try configured.reload(["ACCESS_TOKEN_TTL": "30s"]).contains("\"reloaded\""))
        #expect(try configured.server.devLogin("ada@example.com").json["expiresIn"] == 30)
    }
}
