import Foundation
import JSON
import StandIn
import TestSupport

/// A server with a provider of each kind, which the stand-in plays.
final class ProviderFixture: Sendable {
    static let audience = "ios.apps.example"
    static let weChatID = "wx1234567890abcdef"
    static let qqID = "101234567"
    private static let secret = "0123456789abcdef0123456789abcdef"

    let providers: StandInServer
    let server: any TestServer
    private let folder: TemporaryFolder

    /// The files of providers for tests of the API document, which make many servers.
    static let shared = Result { () throws -> (providers: StandInServer, folder: TemporaryFolder) in
        let (providers, folder) = (try StandInServer(), try TemporaryFolder())
        var files = usualFiles(providers)
        files["down"] = "KIND=openid\nISSUER=http://127.0.0.1:1\nAUDIENCE=\(audience)\nNONCE=if-sent\n"
        files["acme"]? += "CLIENT_ID=com.example.web\nCLIENT_SECRET=\(secret)\n"
        try providers.control(
            "/openid/acme/clients",
            [
                "id": "com.example.web", "secret": .string(secret),
                "redirectURIs": .array([.string("\(WebSignInFixture.origin)/api/auth/acme/callback")]),
            ])
        files["google_down"] = "KIND=google\nAUDIENCE=\(audience)\nJWKS_URL=http://127.0.0.1:1/keys\n"
        for (name, content) in files { try write(content, to: name, in: folder) }
        return (providers, folder)
    }

    /// - Parameters:
    ///   - files: replace or complete the usual ones, by their names without `.conf`.
    ///   - adjust: changes the settings of the server.
    init(
        _ environment: TestEnvironment = .handler, files: [String: String] = [:],
        _ adjust: @escaping (inout [String: String]) -> Void = { _ in }
    ) throws {
        let (providers, folder) = (try StandInServer(), try TemporaryFolder())
        for (name, content) in Self.usualFiles(providers).merging(files, uniquingKeysWith: { $1 }) {
            try Self.write(content, to: name, in: folder)
        }
        func settings(_ variables: inout [String: String]) {
            variables["PROVIDERS_DIR"] = folder.path
            adjust(&variables)
        }
        server =
            switch environment {
            case .handler: try InProcessServer(settings)
            case .fastCGI: try ServerProcess(settings)
            case .nginx: try ServerBehindNginx(settings)
            }
        (self.providers, self.folder) = (providers, folder)
        (server as? InProcessServer)?.fetchProviderKeys(["ACME", "GOOGLE"])
    }

    private static func usualFiles(_ providers: StandInServer) -> [String: String] {
        [
            "acme": "KIND=openid\nISSUER=\(providers.issuer("acme"))\nAUDIENCE=\(audience)\nNONCE=if-sent\n",
            "google": """
            KIND=google
            AUDIENCE=\(audience)
            JWKS_URL=\(providers.issuer("google"))/keys

            """,
            "wechat": "KIND=wechat\nAPP_ID=\(weChatID)\nAPP_SECRET=\(secret)\nAPI_URL=\(providers.url("/wechat"))\n",
            "qq": "KIND=qq\nAPP_ID=\(qqID)\nAPP_KEY=q\(secret)\nAPI_URL=\(providers.url("/qq"))\n",
        ]
    }

    private static func write(_ content: String, to name: String, in folder: TemporaryFolder) throws {
        let path = folder.file(name + ".conf")
        try content.write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    /// What an app sends after a login with an OpenID provider of the stand-in.
    func token(_ provider: String, _ order: JSONObject = [:]) throws -> JSONObject {
        var order = order
        if order["aud"] == nil { order["aud"] = .string(Self.audience) }
        // Two tokens of the same second would be the same token, which is good for one login.
        var claims = order["claims"]?.object ?? [:]
        if claims["jti"] == nil { claims["jti"] = .string(UUID().uuidString) }
        order["claims"] = .object(claims)
        return try providers.control("/openid/\(provider)/mint", order)
    }

    /// What an app gets from WeChat or QQ.
    func code(_ provider: String, _ order: JSONObject = [:]) throws -> JSONObject {
        let minted = try providers.control("/\(provider)/mint", order)
        var credential: JSONObject = ["code": minted["code"] ?? .null]
        if provider == "qq" { credential["redirectUri"] = order["redirectURI"] ?? "https://app.example.com/qq" }
        return credential
    }

    func logIn(_ provider: String, _ credential: JSONObject) throws -> TestResponse {
        var body = credential
        body["provider"] = .string(provider.uppercased())
        return try server.send(.post("/api/auth/identity", body))
    }

    func link(_ provider: String, _ credential: JSONObject, to login: TestResponse) throws -> TestResponse {
        try server.send(.post("/api/users/me/accounts/\(provider)", credential, bearer: login.accessToken))
    }

    func unlink(_ provider: String, _ login: TestResponse) throws -> TestResponse {
        try server.delete("/api/users/me/accounts/\(provider)", login)
    }

    func isSignedIn(_ login: TestResponse) throws -> Bool { try server.me(login.accessToken).status == 200 }
}
