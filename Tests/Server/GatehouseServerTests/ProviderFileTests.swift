import Gatehouse
import GatehouseServer
import IdentityProviders
import JOSE
import TestSupport
import Testing

@Suite("The file of a provider")
struct ProviderFileTests {
    private static let issuer = "https://login.example.com/"
    private static let client = FolderFixture.openID
    private static let web = client + "CLIENT_ID=c\nCLIENT_SECRET=Xsecret\n"
    private static let googleIssuers = ["https://accounts.google.com", "accounts.google.com"]

    @Test(
        "values and defaults of each kind",
        arguments: [
            (
                "KIND=google\nAUDIENCE=a,b",
                GoogleKind(
                    TokenRules.openID(
                        issuers: googleIssuers, audiences: ["a", "b"], algorithms: [.RS256], nonce: .ifSent,
                        emailRule: .google),
                    .keySet(url: "https://www.googleapis.com/oauth2/v3/certs"))
            ),
            (
                "KIND=google\nAUDIENCE=a\nISSUER=http://127.0.0.1:1\nJWKS_URL=http://127.0.0.1:1/keys\nNONCE=challenge",
                GoogleKind(
                    TokenRules.openID(
                        issuers: ["http://127.0.0.1:1"], audiences: ["a"], algorithms: [.RS256], nonce: .challenge,
                        emailRule: .google),
                    .keySet(url: "http://127.0.0.1:1/keys"))
            ),
            (
                "KIND=google\nAUDIENCE=a\nISSUER=http://localhost:1",
                GoogleKind(
                    TokenRules.openID(
                        issuers: ["http://localhost:1"], audiences: ["a"], algorithms: [.RS256], nonce: .ifSent,
                        emailRule: .google),
                    .discovery(issuer: "http://localhost:1"))
            ),
            (
                FolderFixture.openID,
                OpenIDKind(TokenRules.openID(issuers: [issuer], audiences: ["app"]), .discovery(issuer: issuer))
            ),
            (
                """
                KIND = openid
                ISSUER = "https://login.example.com/"
                JWKS_URL = https://keys.example.com/set?version=1
                AUDIENCE = app, web
                AUTHORIZED_PARTIES = ios,android
                ALGORITHMS = EdDSA, RS256
                NONCE = if-sent
                MAX_AGE = 24h
                REQUIRE = email_verified=true, hd=a=b
                """,
                OpenIDKind(
                    TokenRules.openID(
                        issuers: [issuer], audiences: ["app", "web"], authorizedParties: ["ios", "android"],
                        algorithms: [.EdDSA, .RS256], nonce: .ifSent, maximumAge: .seconds(86_400),
                        required: [
                            RequiredClaim(name: "email_verified", value: "true"),
                            RequiredClaim(name: "hd", value: "a=b"),
                        ]),
                    .keySet(url: "https://keys.example.com/set?version=1"))
            ),
            (FolderFixture.weChat, WeChatApp(id: "wx1", secret: "Xsecret-of-wechat")),
            (
                FolderFixture.weChat + "API_URL=http://127.0.0.1:1/wechat/\n",
                WeChatApp(id: "wx1", secret: "Xsecret-of-wechat", apiURL: "http://127.0.0.1:1/wechat")
            ),
            (FolderFixture.qq, QQApp(id: "101", key: "Xsecret-of-qq")),
        ] as [(String, any ProviderKind)])
    func values(text: String, details: any ProviderKind) throws {
        func isSame<Kind: ProviderKind>(_ kind: Kind) throws -> Bool {
            try FolderFixture.details(of: text) as? Kind == kind
        }
        #expect(try isSame(details))
    }

    @Test(
        "the client of a browser's login, and its addresses",
        arguments: [
            (FolderFixture.google, nil), (FolderFixture.weChat, nil), (web, WebClient(id: "c", secret: "Xsecret")),
            (
                web + "AUTHORIZATION_URL=https://x.test/?a=b\nTOKEN_URL=http://[::1]:1/t\nSCOPES = email  openid",
                WebClient(
                    id: "c", secret: "Xsecret", pageURL: "https://x.test/?a=b", tokenURL: "http://[::1]:1/t",
                    scopes: "email openid")
            ),
            (
                FolderFixture.google + "CLIENT_ID=c\nCLIENT_SECRET=Xsecret",
                WebClient(
                    id: "c", secret: "Xsecret", pageURL: "https://accounts.google.com/o/oauth2/v2/auth",
                    tokenURL: "https://oauth2.googleapis.com/token")
            ),
            (
                FolderFixture.google + "ISSUER=http://127.0.0.1:1\nCLIENT_ID=c\nCLIENT_SECRET=Xsecret",
                WebClient(id: "c", secret: "Xsecret")
            ),
            (
                FolderFixture.weChat + "CLIENT_ID=wx2\nCLIENT_SECRET=Xsecret",
                WebClient(id: "wx2", secret: "Xsecret", pageURL: "https://open.weixin.qq.com/connect/qrconnect")
            ),
            (
                FolderFixture.qq + "CLIENT_ID=2\nCLIENT_SECRET=Xsecret\nAUTHORIZATION_URL=http://localhost:1/qq",
                WebClient(id: "2", secret: "Xsecret", pageURL: "http://localhost:1/qq")
            ),
        ] as [(String, WebClient?)])
    func webClients(text: String, client: WebClient?) throws {
        #expect(try FolderFixture(["some.conf": text]).configuration().providers.map(\.web) == [client])
    }

    @Test(
        "each fault names the file and the setting",
        arguments: [
            ("", "KIND is required: set it to one of google, openid, wechat, qq"),
            ("KIND=Xapple", "KIND must be one of google, openid, wechat, qq"),
            ("KIND=google", "AUDIENCE is required: set it to a list of client IDs"),
            ("KIND=google\nAUDIENCE=", "AUDIENCE is required"),
            ("KIND=google\nAUDIENCE=a,,X", "AUDIENCE must be a list"),
            ("KIND=openid\nAUDIENCE=a", "ISSUER is required: set it to an https URL"),
            ("KIND=openid\nAUDIENCE=a\nJWKS_URL=https://x.test/keys", "ISSUER is required"),
            ("KIND=wechat\nAPP_ID=a", "APP_SECRET is required"), ("KIND=wechat\nAPP_SECRET=a", "APP_ID is required"),
            ("KIND=qq\nAPP_ID=a", "APP_KEY is required"),
            (FolderFixture.google + "ALGORITHMS=RS256", "ALGORITHMS does not belong to KIND=google"),
            (FolderFixture.google + "APP_SECRET_FILE=/X", "APP_SECRET does not belong to KIND=google"),
            (FolderFixture.weChat + "AUDIENCE=X", "AUDIENCE does not belong to KIND=wechat"),
            (FolderFixture.weChat + "APP_KEY=X", "APP_KEY does not belong to KIND=wechat"),
            (FolderFixture.google + "JWKS_URL=http://x.test/keys", "JWKS_URL must be an https URL"),
            (FolderFixture.google + "MAX_AGE=25h", "MAX_AGE must be a time"),
            (FolderFixture.google + "MAX_AGE=0s", "MAX_AGE must be a time"),
            (FolderFixture.google + "NONCE=optional", "NONCE must be one of required, if-sent, challenge"),
            (FolderFixture.google + "REQUIRE=hd", "REQUIRE must be a list of claim=value"),
            (FolderFixture.google + "REQUIRE=hd=", "REQUIRE must be a list of claim=value"),
            (FolderFixture.google + "REQUIRE=hd=a,hd=b", "REQUIRE must be a list of claim=value"),
            (FolderFixture.google + "REQUIRE=hd=a,", "REQUIRE must be a list of claim=value"),
            (FolderFixture.openID + "ALGORITHMS=HS256", "ALGORITHMS must be a list of RS256, ES256, EdDSA"),
            (FolderFixture.openID + "ALGORITHMS=none", "ALGORITHMS must be a list of RS256, ES256, EdDSA"),
            (FolderFixture.openID + "ALGORITHMS=RS256,", "ALGORITHMS must be a list of RS256, ES256, EdDSA"),
            ("KIND=qq\nAPP_ID=a b\nAPP_KEY=X", "APP_ID must be up to 64 letters"),
            ("KIND=qq\nAPP_ID=a\nAPP_KEY='X X'", "APP_KEY must be up to 256 printable"),
            (FolderFixture.qq + "API_URL=https://x.test/?a=b", "API_URL must be an https URL without a query"),
            (FolderFixture.google + "CLIENT_ID=c", "CLIENT_SECRET is required with CLIENT_ID: set it to"),
            (FolderFixture.weChat + "CLIENT_ID=c", "CLIENT_SECRET is required with CLIENT_ID: set it to"),
            (FolderFixture.qq + "CLIENT_SECRET=X", "CLIENT_SECRET needs CLIENT_ID, which is not set"),
            (FolderFixture.openID + "SCOPES=openid", "SCOPES needs CLIENT_ID, which is not set"),
            (FolderFixture.openID + "TOKEN_URL=https://x.test/", "TOKEN_URL needs CLIENT_ID, which is not set"),
            (client + "CLIENT_ID='X X'\nCLIENT_SECRET=X", "CLIENT_ID must be up to 256 printable"),
            (client + "CLIENT_ID=a\nCLIENT_SECRET='X X'", "CLIENT_SECRET must be up to 256 printable"),
            (web + "SCOPES=email profile", "SCOPES must be scopes separated by blanks, one of them openid"),
            (web + "SCOPES='openid \"X'", "SCOPES must be scopes separated by blanks, one of them openid"),
            (web + "TOKEN_URL=http://x.test/token", "TOKEN_URL must be an https URL"),
            (web + "AUTHORIZATION_URL=http://x.test/", "AUTHORIZATION_URL must be an https URL"),
            (web + "AUTHORIZATION_URL=https://x.test/#X", "AUTHORIZATION_URL must be an https URL"),
            (
                FolderFixture.weChat + "CLIENT_ID=c\nCLIENT_SECRET=X\nTOKEN_URL=https://x.test/",
                "TOKEN_URL does not belong to KIND=wechat"
            ),
            (FolderFixture.qq + "CLIENT_ID=c\nCLIENT_SECRET=X\nSCOPES=openid", "SCOPES does not belong to KIND=qq"),
            (FolderFixture.qq + "API_URL_FILE=/nowhere/at/all", "API_URL cannot open /nowhere/at/all"),
            ("KIND=wechat\nAPP_ID=a\nAPP_SECRET=X\nAPP_SECRET_FILE=/X", "APP_SECRET is set twice"),
        ])
    func faults(text: String, fault: String) throws {
        let faults = try FolderFixture.faults(of: text)
        #expect(faults.count == 1)
        #expect(faults.first?.hasPrefix("providers.d/some.conf: \(fault)") == true, "\(faults)")
    }

    @Test(
        "an issuer is an https URL without query and fragment, or an http URL of this machine",
        arguments: [
            ("https://login.example.com", true), ("https://login.example.com/realms/main/", true),
            ("http://127.0.0.1:8080", true), ("http://[::1]:8080/a", true), ("http://login.example.com", false),
            ("https://login.example.com?a=b", false), ("https://login.example.com/#a", false),
            ("login.example.com", false), ("https://", false), ("https://user@login.example.com", false),
            ("HTTPS://login.example.com", false),
        ])
    func issuers(text: String, isValid: Bool) throws {
        let file = "KIND=openid\nAUDIENCE=a\nISSUER='\(text)'"
        #expect(try FolderFixture.faults(of: file).isEmpty == isValid)
        #expect(try FolderFixture.faults(of: "KIND=google\nAUDIENCE=a\nISSUER='\(text)'").isEmpty == isValid)
    }

    @Test(
        "a faulty line is named by its number, and its setting is not missing",
        arguments: [
            ("KIND=google\nAUDIENCE='X", ":2 AUDIENCE has no closing quote"),
            ("KIND=google\nAUDIENC=X", ":2 sets an unknown setting: did you mean AUDIENCE?"),
            (FolderFixture.google + "XSOMETHING=X", ":3 sets an unknown setting"),
            (FolderFixture.google + "AUDIENCE=X", ":3 sets AUDIENCE again: line 2 already sets it"),
            (FolderFixture.google + "LOG_LEVEL=X", ":3 LOG_LEVEL belongs in gatehouse.conf"),
            (FolderFixture.google + "X", ":3 is neither KEY=value nor a comment"),
            ("KIND='google\nAUDIENCE=a", ":1 KIND has no closing quote"),
        ])
    func lines(text: String, fault: String) throws {
        #expect(try FolderFixture.faults(of: text) == ["providers.d/some.conf" + fault])
    }

    @Test("a fault contains neither a secret nor another value")
    func secrecy() throws {
        let texts = [
            "KIND=Xkind\nAPP_SECRET=Xsecret Xsecret\nAPP_KEY=Xkey Xkey\nISSUER=Xissuer\nALGORITHMS=Xalgorithm",
            "KIND=wechat\nAPP_ID=Xid Xid\nAPP_SECRET=Xsecret Xsecret\nAPP_KEY=Xkey\nAPI_URL=Xurl\nXsecret\nXsecret=X",
            "KIND=wechat\nAPP_SECRET='Xsecret\nXsecret'",
        ]
        for text in texts {
            let faults = try FolderFixture.faults(of: text)
            #expect(faults.count > 2)
            #expect(!faults.joined().contains("X"), "\(faults)")
        }
    }
}
