import Gatehouse
import IdentityProviders
import JOSE
import JSON
import POSIX
import Testing

@testable import Curl

@Suite("Apple's token and revocation endpoints")
struct AppleEndpointsTests {
    private static let addresses = AppleAddresses(
        token: "https://apple.example/token", revocation: "https://apple.example/revoke",
        migration: "https://apple.example/migrate")
    private static let code = "c0123.0.mxzs.the-code-itself"
    private static let refreshToken = "r0123.0.mxzs.the-refresh-token-itself"

    private let key: SigningKey
    private let requests = Monitor<[(url: String, form: [(String, String)])]>([])

    init() throws {
        key = try SigningKey.generate(.ES256, keyID: "ABC123DEFG")
    }

    private static let client = AppleWebClient(id: "com.example.web", callback: WebRequest.callback)

    private func endpoints(_ post: @escaping AppleEndpoints.Post) -> AppleEndpoints {
        AppleEndpoints(
            at: Self.addresses, issuers: [TokenRules.appleIssuer],
            secrets: ClientSecrets(teamID: "DEF123GHIJ", key: key), web: Self.client, post: post)
    }

    private func exchange(_ status: Int, _ body: String) -> Result<AppleGrant, AppleServerFault> {
        let endpoints = endpoints { _, _ in HTTPResponse(status: status, body: Array(body.utf8)) }
        return Result { () throws(AppleServerFault) in
            try endpoints.exchange(code: Self.code, for: ValidLogin.audience, now: ValidLogin.now)
        }
    }

    /// Nil if the revocation succeeded.
    private func revoke(_ status: Int, _ body: String) -> AppleServerFault? {
        let endpoints = endpoints { _, _ in HTTPResponse(status: status, body: Array(body.utf8)) }
        do throws(AppleServerFault) {
            try endpoints.revoke(refreshToken: Self.refreshToken, of: ValidLogin.audience, now: ValidLogin.now)
            return nil
        } catch {
            return error
        }
    }

    /// A valid answer with one member changed.
    private static func grant(_ name: String = "x", _ value: JSONValue? = nil) -> String {
        var answer: JSONObject = [
            "access_token": "a0123", "token_type": "Bearer", "expires_in": 3600, "refresh_token": .string(refreshToken),
            "id_token": .string(ValidLogin.token),
        ]
        answer[name] = value
        return answer.description
    }

    @Test("a code is exchanged in one request, with a client secret made for it")
    func exchangeForm() throws {
        let endpoints = endpoints { [requests] url, form in
            requests.change { $0.append((url, form)) }
            return HTTPResponse(status: 200, body: Array(Self.grant().utf8))
        }
        let grant = try endpoints.exchange(code: Self.code, for: ValidLogin.audience, now: ValidLogin.now)
        #expect(grant == AppleGrant(subject: ValidLogin.subject, refreshToken: Self.refreshToken))
        try expectOneRequest(
            to: Self.addresses.token, with: ["grant_type": "authorization_code", "code": Self.code])
    }

    @Test("a code that a browser has brought is exchanged with the address that it was sent to, and revoked without")
    func webClient() throws {
        let answer = Self.grant("id_token", .string(TestToken.withClaim("aud", .string(Self.client.id))))
        let endpoints = endpoints { [requests] url, form in
            requests.change { $0.append((url, form)) }
            return HTTPResponse(status: 200, body: Array(answer.utf8))
        }
        let grant = try endpoints.exchange(code: Self.code, for: Self.client.id, now: ValidLogin.now)
        #expect(grant.subject == ValidLogin.subject)
        try endpoints.revoke(refreshToken: grant.refreshToken, of: Self.client.id, now: ValidLogin.now)
        let forms = requests.change { $0 }.map { Dictionary(uniqueKeysWithValues: $0.form) }
        #expect(forms.map { $0["redirect_uri"] } == [WebRequest.callback, nil])
        for form in forms {
            #expect(form["client_id"] == Self.client.id)
            let secret = try CompactJWS(try #require(form["client_secret"]))
            #expect(try secret.claims()["sub"]?.string == Self.client.id)
        }
    }

    @Test("a token is revoked in one request")
    func revokeForm() throws {
        let endpoints = endpoints { [requests] url, form in
            requests.change { $0.append((url, form)) }
            return HTTPResponse(status: 200, body: [])
        }
        try endpoints.revoke(refreshToken: Self.refreshToken, of: ValidLogin.audience, now: ValidLogin.now)
        try expectOneRequest(
            to: Self.addresses.revocation, with: ["token": Self.refreshToken, "token_type_hint": "refresh_token"])
    }

    private func expectOneRequest(to url: String, with fields: [String: String]) throws {
        let sent = self.requests.change { $0 }
        #expect(sent.map(\.url) == [url])
        var form = Dictionary(uniqueKeysWithValues: try #require(sent.first).form)
        let text = form.removeValue(forKey: "client_secret")
        let secret = try CompactJWS(try #require(text))
        try secret.verify(with: key.verificationKey)
        #expect(try secret.claims()["sub"]?.string == ValidLogin.audience)
        #expect(try secret.claims()["exp"]?.integer == ValidLogin.seconds + 300)
        #expect(form == fields.merging(["client_id": ValidLogin.audience]) { $1 })
    }

    @Test(
        "an answer without a complete grant is a fault that repeats nothing of the answer",
        arguments: [
            "", "{}", "[]", "<html>", "null", grant("refresh_token", nil), grant("refresh_token", ""),
            grant("refresh_token", 7), grant("id_token", nil), grant("id_token", ""), grant("id_token", "a.b.c"),
            grant("id_token", .string(TestToken.withClaim("aud", "com.example.other"))),
            grant("id_token", .string(TestToken.withClaim("iss", "https://forger.example"))),
            grant("id_token", .string(TestToken.withClaim("sub", nil))),
            grant("id_token", .string(TestToken.withClaim("sub", ""))),
            grant("id_token", .string(TestToken.withHeader("alg", "none"))),
        ])
    func noGrant(body: String) {
        #expect(exchange(200, body) == .failure(.unavailable("an answer without a usable grant")))
    }

    @Test("the grant names the subject of the identity token, whose expiry and signature are not checked")
    func grantOfOldToken() {
        for token in [TestToken.withClaim("exp", .integer(1)), TestToken.make(by: ValidLogin.attackersKey)] {
            let grant = AppleGrant(subject: ValidLogin.subject, refreshToken: Self.refreshToken)
            #expect(exchange(200, Self.grant("id_token", .string(token))) == .success(grant))
        }
    }

    @Test("an invalid code is refused permanently", arguments: [400, 401, 403])
    func grantRefused(status: Int) {
        let body = #"{"error":"invalid_grant","error_description":"The code has expired or has been revoked."}"#
        #expect(exchange(status, body) == .failure(.grantRefused))
    }

    @Test("revoking a token that Apple does not know any more succeeds")
    func alreadyRevoked() {
        #expect(revoke(200, "") == nil)
        #expect(revoke(200, "<html>") == nil)
        #expect(revoke(400, #"{"error":"invalid_grant"}"#) == nil)
    }

    @Test(
        "refused credentials are reported with a known error code",
        arguments: [
            "invalid_client", "invalid_request", "invalid_scope", "unauthorized_client", "unsupported_grant_type",
            "unsupported_token_type",
        ])
    func credentialsRefused(error: String) {
        for status in [400, 401, 403] {
            #expect(exchange(status, #"{"error":"\#(error)"}"#) == .failure(.credentialsRefused(error)))
            #expect(revoke(status, #"{"error":"\#(error)"}"#) == .credentialsRefused(error))
        }
    }

    @Test(
        "any other answer is a temporary fault that repeats only the status",
        arguments: [
            (400, ""), (400, "{}"), (400, #"{"error":7}"#), (400, #"{"error":"hunter2\n"}"#), (404, "<html>"),
            (429, #"{"error":"invalid_client"}"#), (500, #"{"error":"invalid_grant"}"#), (502, "<html>"), (503, ""),
            (302, #"{"error":"invalid_grant"}"#), (201, ""), (204, ""), (0, ""),
            (400, #"{"error":"invalid_grant","error":"invalid_grant"}"#), (400, #"{"error":"Invalid_Grant"}"#),
        ])
    func unavailable(status: Int, body: String) {
        #expect(exchange(status, body) == .failure(.unavailable("status \(status)")))
        #expect(revoke(status, body) == .unavailable("status \(status)"))
    }

    @Test("no answer is a temporary fault")
    func noAnswer() {
        let endpoints = endpoints { (_, _) throws(HTTPFault) in
            throw HTTPFault.transport(code: 28, name: "Timeout was reached")
        }
        #expect(throws: AppleServerFault.unavailable("Timeout was reached (curl 28); look at \(HTTPFault.silence)")) {
            try endpoints.exchange(code: Self.code, for: ValidLogin.audience, now: ValidLogin.now)
        }
        #expect(throws: AppleServerFault.unavailable("Timeout was reached (curl 28); look at \(HTTPFault.silence)")) {
            try endpoints.revoke(refreshToken: Self.refreshToken, of: ValidLogin.audience, now: ValidLogin.now)
        }
    }
}
