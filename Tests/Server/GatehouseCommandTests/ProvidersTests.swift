import Foundation
import JSON
import TestSupport
import Testing

@Suite("gatehouse providers")
struct ProvidersTests {
    private static let files = [
        "google": """
        KIND=google
        AUDIENCE=a,b
        REQUIRE=hd=example.com
        CLIENT_ID=web
        CLIENT_SECRET=Xsecret-of-google

        """,
        "main": "KIND=openid\nISSUER=https://login.example.com/\nAUDIENCE=app\nMAX_AGE=90m\n",
        "qq": "KIND=qq\nAPP_ID=101\nAPP_KEY=Xsecret-of-qq\nAPI_URL=http://127.0.0.1:1/\n",
        "wechat": "KIND=wechat\nAPP_ID=wx1\nAPP_SECRET=Xsecret-of-wechat\n",
    ]

    private let tool: Tool

    init() throws {
        tool = try Tool()
        for (name, text) in Self.files { _ = try tool.file(name + ".conf", text) }
    }

    /// Only the folder is set: no other setting is needed.
    private func run(_ words: String...) throws -> Shell.Outcome {
        let outcome = try tool.run(
            ["providers"] + words, ["GATEHOUSE_CONFIG": "", "PROVIDERS_DIR": tool.folder.path])
        #expect(!outcome.everything.contains("Xsecret"))
        return outcome
    }

    @Test("list prints a line for each provider, and with --json an object")
    func list() throws {
        let outcome = try run("list")
        #expect(outcome.status == 0 && outcome.errorOutput.isEmpty, "\(outcome.errorOutput)")
        let cells = outcome.text.split(separator: "\n").map { line in
            line.components(separatedBy: "  ").map { $0.filter { $0 != " " } }.filter { !$0.isEmpty }
        }
        let metadata = "https://login.example.com/.well-known/openid-configuration"
        let google = "https://accounts.google.com,accounts.google.com"
        #expect(
            cells == [
                ["NAME", "KIND", "ISSUER", "APPID", "CLIENTID", "AUDIENCES", "KEYS"],
                ["google", "google", google, "-", "web", "a,b", "https://www.googleapis.com/oauth2/v3/certs"],
                ["main", "openid", "https://login.example.com/", "-", "-", "app", metadata],
                ["qq", "qq", "-", "101", "-", "-", "-"], ["wechat", "wechat", "-", "wx1", "-", "-", "-"],
            ])
        let providers = try JSONValue(parsing: run("list", "--json").output).object?["providers"]?.array ?? []
        #expect(providers.map { $0.object?["name"]?.string } == ["google", "main", "qq", "wechat"])
        #expect(
            providers[1]
                == [
                    "name": "main", "kind": "openid", "issuers": ["https://login.example.com/"], "appId": .null,
                    "clientId": .null, "audiences": ["app"], "keys": .string(metadata),
                ])
        #expect(providers[3].object?["appId"] == "wx1" && providers[3].object?["issuers"] == .null)
    }

    @Test("show prints the values in force, and of a secret that it is set")
    func show() throws {
        let qq = try run("show", "qq")
        #expect(qq.status == 0)
        #expect(
            qq.text == """
                name       qq
                kind       qq
                app id     101
                app key    set
                api        http://127.0.0.1:1
                client id  -

                """)
        let google = try run("show", "google").text
        for line in [
            /algorithms +RS256\n/, /nonce +if-sent\n/, /max age +1h\n/, /required claims +hd=example.com\n/,
            /client id +web\n/, /client secret +set\n/, /token endpoint +https:\/\/oauth2.googleapis.com\/token\n/,
            /scopes +openid email profile\n/,
        ] {
            #expect(google.contains(line), "\(google)")
        }
        #expect(google.contains(/authorized parties +-\n/))
    }

    @Test("show --json prints every value, and no secret")
    func showJSON() throws {
        #expect(
            try JSONValue(parsing: run("show", "wechat", "--json").output)
                == [
                    "name": "wechat", "kind": "wechat", "appId": "wx1", "appSecret": "set",
                    "apiUrl": "https://api.weixin.qq.com", "clientId": .null,
                ])
        #expect(
            try JSONValue(parsing: run("show", "main", "--json").output)
                == [
                    "name": "main", "kind": "openid", "issuers": ["https://login.example.com/"], "audiences": ["app"],
                    "authorizedParties": [], "algorithms": ["RS256", "ES256"], "nonce": "required", "maxAge": "90m",
                    "requiredClaims": [], "keys": "https://login.example.com/.well-known/openid-configuration",
                    "clientId": .null,
                ])
        let web = try JSONValue(parsing: run("show", "google", "--json").output).object
        #expect(web?["authorizationUrl"] == "https://accounts.google.com/o/oauth2/v2/auth")
        #expect(web?["clientSecret"] == "set" && web?["clientId"] == "web")
    }

    @Test("an unknown name is the answer no", arguments: ["GOOGLE", "apple"])
    func unknown(name: String) throws {
        let outcome = try run("show", name)
        outcome.expectRefusal(1)
        #expect(outcome.errorOutput.contains("no provider has the name \(name)"))
    }

    @Test("a bad file is wrong configuration, and every fault is named")
    func faults() throws {
        _ = try tool.file("main.conf", "KIND=openid\n")
        _ = try tool.file("qq.conf", "KIND=qq\nAPP_ID=1\nAPP_KEY=Xsecret Xsecret\n")
        for outcome in [try run("list"), try run("show", "google")] {
            outcome.expectRefusal(2)
            for fault in ["main.conf: ISSUER is", "main.conf: AUDIENCE is", "qq.conf: APP_KEY must be up to 256"] {
                #expect(outcome.errorOutput.contains("/" + fault), "\(outcome.errorOutput)")
            }
        }
    }

    @Test("without a folder the list is empty")
    func empty() throws {
        let outcome = try tool.run(["providers", "list", "--json"], ["GATEHOUSE_CONFIG": ""])
        #expect(outcome.status == 0 && outcome.text == "{\"providers\":[]}\n")
    }

    @Test("check names a secret of a provider that all users can read")
    func openSecret() throws {
        let secret = try tool.file("secret", "Xsecret-of-qq")
        chmod(secret, 0o644)
        chmod(tool.folder.path, 0o755)
        _ = try tool.file("qq.conf", "KIND=qq\nAPP_ID=1\nAPP_KEY_FILE=\(secret)\n")
        let settings = tool.settings(["PROVIDERS_DIR": tool.folder.path])
        let text = try tool.run(["check", "--offline"], settings).text
        #expect(text.contains("conf: APP_KEY: \(secret) is "), "\(text)")
        #expect(text.contains("all users of this machine can read"))
    }
}
