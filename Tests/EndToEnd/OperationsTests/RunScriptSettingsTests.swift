import Foundation
import TestSupport
import Testing

@testable import ServerSupport

/// Runs the part of `deploy/run` that chooses settings, and then the checks of `gatehouse`.
@Suite("Settings of deploy/run")
struct RunScriptSettingsTests {
    private let folder: TemporaryFolder
    private static let secret = "a028ea556224741394ab29b4d4abe315"

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.file("secrets"), withIntermediateDirectories: true)
    }

    private static let script = """
        set -euo pipefail
        fail() { printf '%s\\n' "$2" >&2; exit "$1"; }
        data=$2 socket=$2/socket port=8443 apple_port=8444 real_apple=$3 bundle_id=$4 listen=()
        for part in network settings web providers codes comments; do source "$1/deploy/lib/run/$part"; done
        mail_port=2525 comments_port=2526
        umask 077
        refuse_settings
        choose_bundle_id
        choose_developer
        write_settings
        """

    /// With the fake Apple, the check of `gatehouse` would need the key that the fake Apple makes.
    private func writeForApple(_ environment: [String: String] = [:]) throws -> Shell.Outcome {
        try write(environment, realApple: true, bundleID: "a.b")
    }

    private func write(
        _ environment: [String: String] = [:], realApple: Bool = false, bundleID: String = ""
    ) throws -> Shell.Outcome {
        try Shell.outcome(
            of: ["bash", "-c", Self.script, "bash", Executable.root, folder.path, realApple ? "yes" : "", bundleID],
            environment: environment.merging(["PATH": DevelopmentServer.path]) { own, _ in own })
    }

    private var names: Set<String> {
        get throws {
            let text = try String(contentsOfFile: folder.file("gatehouse.conf"), encoding: .utf8)
            return Set(text.split(separator: "\n").compactMap { $0.split(separator: "=").first.map(String.init) })
        }
    }

    /// The exit status of the server's own check.
    private func check(_ environment: [String: String] = [:]) throws -> Shell.Outcome {
        let own = ["GATEHOUSE_CONFIG": folder.file("gatehouse.conf")]
        return try Shell.outcome(
            of: [Executable.gatehouse, "check", "--settings"], environment: environment.merging(own) { $1 })
    }

    private func secret(_ name: String, _ text: String = secret) throws -> String {
        try text.write(toFile: folder.file("secrets/" + name), atomically: true, encoding: .utf8)
        return folder.file("secrets/" + name)
    }

    @Test(
        "A setting that the script has to decide is refused, and named",
        arguments: [
            ["LISTEN": "tcp:127.0.0.1:9000"], ["LISTEN_FILE": "/x"], ["APP_ENV": "production"], ["APP_ENV_FILE": "/x"],
            ["GATEHOUSE_CONFIG": "/x"], ["CREDENTIALS_DIRECTORY": "/x"], ["APPLE_KEY_ID": "../../x"],
            ["APPLE_BUNDLE_ID_FILE": "/nonexistent"],
        ])
    func refused(_ environment: [String: String]) throws {
        try expectRefusal(environment, naming: try #require(environment.keys.first).replacing("_FILE", with: ""))
    }

    @Test("With --cluster, another database is refused", arguments: ["DATABASE_URL", "DATABASE_URL_FILE"])
    func otherDatabase(_ name: String) throws {
        try expectRefusal([name: "sqlite:/x.db", "cluster": "yes"], naming: "--cluster")
    }

    private func expectRefusal(_ environment: [String: String], naming word: String) throws {
        let outcome = try write(environment)
        #expect(outcome.status == 2)
        #expect(outcome.errorOutput.contains(word))
        #expect(!FileManager.default.fileExists(atPath: folder.file("gatehouse.conf")))
    }

    @Test("A bundle id is needed for Apple's own tokens, and is not taken from two places")
    func bundleID() throws {
        #expect(try write(realApple: true).errorOutput.contains("--bundle-id"))
        #expect(try write(["APPLE_BUNDLE_ID": "a.b"], bundleID: "c.d").errorOutput.contains("APPLE_BUNDLE_ID"))
        #expect(try write(["APPLE_BUNDLE_ID": "a.b"], realApple: true).status == 0)
        #expect(try write(["APPLE_BUNDLE_ID": "a.b"], bundleID: "a.b").status == 0)
        #expect(try write(realApple: true, bundleID: "a.b").status == 0)
        let urls: Set = ["APPLE_JWKS_URL", "APPLE_TOKEN_URL", "APPLE_REVOKE_URL", "APPLE_MIGRATION_URL"]
        #expect(try names.isDisjoint(with: urls.union(["APPLE_TEAM_ID"])))
        #expect(try check().status == 0)
    }

    @Test(
        "Either form of a setting in the environment wins",
        arguments: ["JWT_REFRESH_SECRET", "DEV_LOGIN_SECRET", "DATA_KEY", "JWT_ACCESS_SECRET"])
    func environment(_ name: String) throws {
        let value = name == "DATA_KEY" ? "J6Cus/7pIy+K8iEfnuSRxbEL7LVWO/web5NCfsvI/ik=" : Self.secret
        let file = try secret("own", value)
        for environment in [[name: value], [name + "_FILE": file]] {
            #expect(try writeForApple(environment).status == 0)
            #expect(try check(environment).status == 0)
        }
        // The value counts: an invalid one is a fault.
        #expect(try check([name: "short"]).status == 2)
    }

    @Test("Access tokens are signed with a key, unless a secret or another key is set")
    func signingKey() throws {
        #expect(try writeForApple().status == 0)
        #expect(try names.isSuperset(of: ["ACCESS_SIGNING_KEY_FILE"]))
        #expect(try check().status == 0)
        let other = try secret(
            "other.pem", String(decoding: Shell.run(["openssl", "genpkey", "-algorithm", "ed25519"]), as: UTF8.self))
        for environment in [["JWT_ACCESS_SECRET": Self.secret], ["ACCESS_SIGNING_KEY_FILE": other]] {
            #expect(try writeForApple(environment).status == 0)
            #expect(
                try !names.contains("ACCESS_SIGNING_KEY_FILE") && names.contains("ACCESS_SIGNING_KEY_PREVIOUS_FILE"))
            #expect(try check(environment).status == 0)
        }
    }

    @Test("Tokens signed with the secret of an older data folder are accepted for a day")
    func olderFolder() throws {
        _ = try secret("jwt-access")
        #expect(try writeForApple().status == 0)
        #expect(try names.isSuperset(of: ["ACCESS_SIGNING_KEY_FILE", "JWT_ACCESS_SECRET_PREVIOUS_FILE"]))
        #expect(try check().status == 0)
        try Shell.run(["touch", "-d", "2 days ago", folder.file("secrets/access-signing-key")])
        #expect(try writeForApple().status == 0)
        #expect(try !names.contains("JWT_ACCESS_SECRET_PREVIOUS_FILE"))
        #expect(!FileManager.default.fileExists(atPath: folder.file("secrets/jwt-access")))
    }

    @Test("Generated secrets are kept")
    func kept() throws {
        #expect(try write().status == 0)
        let names = ["access-signing-key", "jwt-refresh", "data-key", "dev-login", "sms"]
        let before = try names.map { try String(contentsOfFile: folder.file("secrets/" + $0), encoding: .utf8) }
        #expect(try write().status == 0)
        #expect(try names.map { try String(contentsOfFile: folder.file("secrets/" + $0), encoding: .utf8) } == before)
    }

    private static let codes: Set = [
        "SMS_URL", "SMS_SECRET_FILE", "NUMBER_URL", "NUMBER_SECRET_FILE", "SMTP_URL", "MAIL_FROM", "APP_NAME",
        "PHONE_COUNTRIES",
    ]

    @Test("Codes go to what the fake Apple plays, and not anywhere with Apple's own tokens")
    func codes() throws {
        #expect(try write().status == 0)
        #expect(try names.isSuperset(of: Self.codes))
        #expect(try writeForApple().status == 0)
        #expect(try names.isDisjoint(with: Self.codes))
    }

    private func lines(_ environment: [String: String] = [:]) throws -> Set<String> {
        #expect(try write(environment).status == 0)
        let text = try String(contentsOfFile: folder.file("gatehouse.conf"), encoding: .utf8)
        return Set(text.split(separator: "\n").map(String.init))
    }

    @Test("Pages, apps and programs of this machine can sign in through a browser, at the pages of the fake Apple")
    func web() throws {
        #expect(
            try lines().isSuperset(of: [
                #"PUBLIC_URL="https://localhost:8443""#, #"APPLE_CLIENT_ID="com.example.web""#,
                #"APPLE_AUTHORIZATION_URL="http://127.0.0.1:8444/auth/authorize""#,
                #"REDIRECT_URIS="https://localhost:8443/example/,https://localhost:8443/admin/,com.example.app:/signed-in,http://127.0.0.1/signed-in""#,
            ]))
        let ownScheme = try lines(["APPLE_BUNDLE_ID": "com.Example.Notes,x"])
        #expect(ownScheme.contains { $0.contains(",com.example.notes:/signed-in,") })
        #expect(try lines(["APPLE_BUNDLE_ID": "notes"]).contains { $0.contains("/admin/,http://127.0.0.1/") })
        #expect(try writeForApple().status == 0)
        #expect(try names.isDisjoint(with: ["APPLE_CLIENT_ID", "APPLE_AUTHORIZATION_URL"]))
        #expect(try names.isSuperset(of: ["PUBLIC_URL", "REDIRECT_URIS"]))
    }

    @Test("Addresses of the environment come beside those of the example page, an app and a program")
    func ownPages() throws {
        let pages = "https://localhost:8443/example/,https://localhost:8443/admin/"
        let own = pages + ",com.example.app:/signed-in,http://127.0.0.1/signed-in"
        let list = "http://localhost:5173/, https://localhost:8443/example/,http://localhost:5173/in"
        let expected = #"REDIRECT_URIS="\#(own),http://localhost:5173/,http://localhost:5173/in""#
        #expect(try lines(["REDIRECT_URIS": list]).contains(expected))
        let file = folder.file("addresses")
        try (list + "\n").write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try lines(["REDIRECT_URIS_FILE": file]).contains(expected))
    }

    @Test("Passkeys are of localhost, for its own pages and those beside it, unless the environment has another RP id")
    func passkeys() throws {
        let own: Set = [#"PASSKEY_RP_ID="localhost""#, #"PASSKEY_ORIGINS="https://localhost:8443""#]
        #expect(try lines().isSuperset(of: own))
        let others =
            "http://localhost:5173, https://localhost:8443,https://localhost.example.com,https://app.example.com"
        #expect(
            try lines(["CORS_ORIGINS": others])
                .contains(#"PASSKEY_ORIGINS="https://localhost:8443,http://localhost:5173""#))
        #expect(try lines(["CORS_ORIGINS": "https://app.example.com"]).isSuperset(of: own))
        _ = try lines(["PASSKEY_RP_ID": "example.com"])
        #expect(try names.isDisjoint(with: ["PASSKEY_RP_ID", "PASSKEY_ORIGINS"]))
    }

    @Test("Without PUBLIC_URL the issuer names the origin; without both there is no signing in through a browser")
    func withoutPublicURL() throws {
        #expect(try lines(["PUBLIC_URL": "off"]).contains(#"TOKEN_ISSUER="https://localhost:8443""#))
        _ = try lines(["PUBLIC_URL": "off", "TOKEN_ISSUER": "gatehouse"])
        #expect(try !names.contains("REDIRECT_URIS"))
    }

    @Test("The fake Apple verifies with the secret of the environment")
    func smsSecret() throws {
        let secret = "whsec_5WbX0kEsLlfzGqJrLiJxPqO7cXk2b1mD"
        #expect(try write(["SMS_SECRET": secret]).status == 0)
        #expect(try String(contentsOfFile: folder.file("apple/sms-secret"), encoding: .utf8) == secret)
    }

    private static let providers = ["acme.conf", "google.conf", "qq.conf", "wechat.conf"]

    private var writtenProviders: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.file("providers.d")).sorted() }
    }

    @Test("Each provider that the fake Apple plays has a file that other users cannot read, and Gatehouse accepts it")
    func providers() throws {
        #expect(try write().status == 0)
        #expect(try writtenProviders == Self.providers)
        for name in Self.providers {
            let mode = try FileManager.default.attributesOfItem(atPath: folder.file("providers.d/" + name))
            #expect(mode[.posixPermissions] as? Int == 0o600, "\(name)")
        }
        let list = try Shell.outcome(
            of: [Executable.gatehouse, "providers", "list"],
            environment: ["GATEHOUSE_CONFIG": folder.file("gatehouse.conf")])
        #expect(list.status == 0 && list.errorOutput == "", "\(list.errorOutput)")
        for word in ["acme", "google", "wx1234567890abcdef", "101234567", "http://127.0.0.1:8444/openid/acme"] {
            #expect(list.text.contains(word), "\(word)")
        }
    }

    @Test("A start restores the files of providers that it has written, and keeps those of the operator")
    func ownProviders() throws {
        #expect(try write().status == 0)
        let (google, own, acme) = (
            folder.file("providers.d/google.conf"), folder.file("providers.d/own.conf"),
            folder.file("providers.d/acme.conf")
        )
        let usual = try String(contentsOfFile: acme, encoding: .utf8)
        let text = "KIND=google\nAUDIENCE=1.apps.googleusercontent.com\n"
        for file in [google, own] { try text.write(toFile: file, atomically: true, encoding: .utf8) }
        try (usual + "MAX_AGE=1m\n").write(toFile: acme, atomically: true, encoding: .utf8)
        #expect(try write().status == 0)
        #expect(try String(contentsOfFile: acme, encoding: .utf8) == usual)
        // Nothing plays them with --real-apple.
        #expect(try writeForApple().status == 0)
        #expect(try writtenProviders == ["google.conf", "own.conf"])
        for file in [google, own] { #expect(try String(contentsOfFile: file, encoding: .utf8) == text) }
        #expect(try check().status == 0)
    }
}
