import Foundation
import JSON
import OpenSSL
import StandIn
import TestSupport

/// A server whose users sign in through a browser, at providers that the stand-in plays.
final class WebSignInFixture: Sendable {
    static let origin = "https://api.example.com"
    static let page = "https://app.example.com/signed-in"
    static let providers = ["acme", "apple", "google", "qq", "wechat"]
    private static let client = "com.example.web"
    private static let secret = "0123456789abcdef0123456789abcdef"

    let providers: StandInServer
    let apple: FakeAppleServer
    let server: any TestServer
    private let folder: TemporaryFolder

    /// - Parameter adjust: changes the settings of the server.
    init(
        _ environment: TestEnvironment = .handler, _ adjust: @escaping (inout [String: String]) -> Void = { _ in }
    ) throws {
        let (providers, folder) = (try StandInServer(), try TemporaryFolder())
        let apple = try FakeAppleServer(in: folder)
        try Self.register(providers, apple)
        try FileManager.default.createDirectory(atPath: folder.file("providers"), withIntermediateDirectories: true)
        for (name, content) in Self.files(providers) {
            let path = folder.file("providers/\(name).conf")
            try content.write(toFile: path, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
        func settings(_ variables: inout [String: String]) {
            variables["PROVIDERS_DIR"] = folder.file("providers")
            variables["PUBLIC_URL"] = Self.origin
            variables["REDIRECT_URIS"] = "\(Self.page),com.example.app:/signed-in,http://127.0.0.1/signed-in"
            variables["APPLE_CLIENT_ID"] = Self.client
            variables["APPLE_AUTHORIZATION_URL"] = "http://127.0.0.1:\(apple.port)/auth/authorize"
            variables["APPLE_JWKS_URL"] = apple.keysURL
            variables["DATA_KEY"] = Data(SHA256.hash("a data key")).base64EncodedString()
            variables.merge(apple.developerSettings) { $1 }
            adjust(&variables)
        }
        server =
            switch environment {
            case .handler: try InProcessServer(settings)
            case .fastCGI: try ServerProcess(settings)
            case .nginx: try ServerBehindNginx(settings)
            }
        (self.providers, self.apple, self.folder) = (providers, apple, folder)
        inProcess?.fetchProviderKeys(["ACME", "GOOGLE", "OTHER"])
    }

    /// The addresses that the operator has registered at the providers.
    private static func register(_ providers: StandInServer, _ apple: FakeAppleServer) throws {
        func callback(_ name: String) -> JSONValue { .array([.string("\(origin)/api/auth/\(name)/callback")]) }
        let openID: JSONObject = ["id": .string(client), "secret": .string(secret)]
        for name in ["acme", "google", "other"] {
            var body = openID
            body["redirectURIs"] = callback(name)
            try providers.control("/openid/\(name)/clients", body)
        }
        try providers.control(
            "/wechat/website",
            ["appID": "wxwebsite00000001", "appSecret": .string(secret), "redirectURIs": callback("wechat")])
        try providers.control(
            "/qq/website", ["appID": "102345678", "appKey": .string(secret), "redirectURIs": callback("qq")])
        apple.register(servicesID: client, redirectURIs: ["\(origin)/api/auth/apple/callback"])
    }

    private static func files(_ providers: StandInServer) -> [String: String] {
        let openID = "AUDIENCE=com.example.app\nCLIENT_ID=\(client)\nCLIENT_SECRET=\(secret)\n"
        let google = providers.issuer("google")
        return [
            "acme": "KIND=openid\nISSUER=\(providers.issuer("acme"))\n\(openID)",
            "other": "KIND=openid\nISSUER=\(providers.issuer("other"))\n\(openID)",
            "google": """
            KIND=google
            JWKS_URL=\(google)/keys
            AUTHORIZATION_URL=\(google)/authorize
            TOKEN_URL=\(google)/token
            \(openID)
            """,
            "wechat": """
            KIND=wechat
            APP_ID=wx1234567890abcdef
            APP_SECRET=\(secret)
            CLIENT_ID=wxwebsite00000001
            CLIENT_SECRET=\(secret)
            AUTHORIZATION_URL=\(providers.url("/wechat/connect/qrconnect"))
            API_URL=\(providers.url("/wechat"))

            """,
            "qq": """
            KIND=qq
            APP_ID=101234567
            APP_KEY=q\(secret)
            CLIENT_ID=102345678
            CLIENT_SECRET=\(secret)
            AUTHORIZATION_URL=\(providers.url("/qq/oauth2.0/authorize"))
            API_URL=\(providers.url("/qq"))

            """,
        ]
    }

    var inProcess: InProcessServer? { server as? InProcessServer }

    func browser() -> TestBrowser { TestBrowser(server) }

    /// Signs in at a provider, and returns the code that the app gets. On a busy machine the stand-in may answer too late for
    /// the server, and the user tries again.
    func code(
        _ provider: String = "acme", as user: String, _ browser: TestBrowser? = nil, verifier: String = AppFlow.verifier
    ) throws -> String {
        let browser = browser ?? self.browser()
        var back = TestBrowser.Arrival(address: "", parameters: [:])
        _ = try Eventually.holds {
            back = try browser.signIn(provider, as: user, AppFlow(verifier: verifier))
            return back.parameters["error"] != "temporarily_unavailable"
        }
        guard let code = back.parameters["code"] else { throw UnexpectedReturn(address: back.address) }
        return code
    }

    func exchange(_ code: String, verifier: String = AppFlow.verifier, _ more: JSONObject = [:]) throws -> TestResponse
    {
        try server.send(exchangeRequest(code, verifier: verifier, more))
    }

    func exchangeRequest(_ code: String, verifier: String = AppFlow.verifier, _ more: JSONObject = [:]) -> TestRequest {
        var body = more
        body["code"] = .string(code)
        body["codeVerifier"] = .string(verifier)
        return .post("/api/auth/exchange", body)
    }

    func logIn(_ provider: String = "acme", as user: String) throws -> TestResponse {
        try exchange(code(provider, as: user))
    }

    func isSignedIn(_ login: TestResponse) throws -> Bool { try server.me(login.accessToken).status == 200 }
}

/// What an app keeps during a sign-in.
struct AppFlow {
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    /// Of this verifier: RFC 7636, appendix B.
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    var redirectURI: String? = WebSignInFixture.page
    var challenge: String? = Self.challenge
    var method: String? = "S256"
    var state: String? = "app state &=#"
    /// Parameters as they are in the address.
    var more = ""

    init(verifier: String = Self.verifier) {
        if verifier != Self.verifier { challenge = TestBrowser.challenge(of: verifier) }
    }

    var query: String {
        let parameters = [
            ("redirect_uri", redirectURI), ("code_challenge", challenge), ("code_challenge_method", method),
            ("state", state),
        ]
        return parameters.compactMap { name, value in value.map { "\(name)=\(TestBrowser.encoded($0))" } }
            .joined(separator: "&") + more
    }
}

/// A sign-in ended without a code.
struct UnexpectedReturn: Error {
    let address: String
}
