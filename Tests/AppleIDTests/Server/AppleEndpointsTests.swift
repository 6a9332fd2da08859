import AppleID
import Gatehouse
import JOSE
import JSON
import POSIX
import Testing

@Suite("Apple's endpoints for developers")
struct AppleEndpointsTests {
    private static let addresses = AppleAddresses(
        token: "https://apple.example/token", revocation: "https://apple.example/revoke")
    private static let code = "c0123.0.mxzs.the-code-itself"
    private static let refreshToken = "r0123.0.mxzs.the-refresh-token-itself"

    private let key: SigningKey
    private let asked = Monitor<[(url: String, form: [(String, String)])]>([])

    init() throws {
        key = try SigningKey.generate(.ES256, keyID: "ABC123DEFG")
    }

    private func endpoints(_ post: @escaping FormPost) -> AppleEndpoints {
        AppleEndpoints(
            at: Self.addresses, issuers: [IdentityTokenPolicy.appleIssuer],
            secrets: ClientSecrets(teamID: "DEF123GHIJ", key: key), post: post)
    }

    private func exchange(_ status: Int, _ body: String) -> Result<AppleGrant, AppleServerFault> {
        let endpoints = endpoints { _, _ in FormAnswer(status: status, body: Array(body.utf8)) }
        return Result { () throws(AppleServerFault) in
            try endpoints.exchange(code: Self.code, for: Genuine.audience, now: Genuine.moment)
        }
    }

    /// Nil where all went well.
    private func revoke(_ status: Int, _ body: String) -> AppleServerFault? {
        let endpoints = endpoints { _, _ in FormAnswer(status: status, body: Array(body.utf8)) }
        do throws(AppleServerFault) {
            try endpoints.revoke(refreshToken: Self.refreshToken, of: Genuine.audience, now: Genuine.moment)
            return nil
        } catch {
            return error
        }
    }

    /// An answer in which nothing is wrong, with one member changed.
    private static func grant(_ name: String = "x", _ value: JSONValue? = nil) -> String {
        var answer: JSONObject = [
            "access_token": "a0123", "token_type": "Bearer", "expires_in": 3600, "refresh_token": .string(refreshToken),
            "id_token": .string(Genuine.token),
        ]
        answer[name] = value
        return answer.description
    }

    @Test("a code is exchanged in one request, with a secret that was made for it")
    func exchangeForm() throws {
        let endpoints = endpoints { [asked] url, form in
            asked.change { $0.append((url, form)) }
            return FormAnswer(status: 200, body: Array(Self.grant().utf8))
        }
        let grant = try endpoints.exchange(code: Self.code, for: Genuine.audience, now: Genuine.moment)
        #expect(grant == AppleGrant(subject: Genuine.subject, refreshToken: Self.refreshToken))
        try expectOneRequest(
            to: Self.addresses.token, with: ["grant_type": "authorization_code", "code": Self.code])
    }

    @Test("a token is revoked in one request")
    func revokeForm() throws {
        let endpoints = endpoints { [asked] url, form in
            asked.change { $0.append((url, form)) }
            return FormAnswer(status: 200, body: [])
        }
        try endpoints.revoke(refreshToken: Self.refreshToken, of: Genuine.audience, now: Genuine.moment)
        try expectOneRequest(
            to: Self.addresses.revocation, with: ["token": Self.refreshToken, "token_type_hint": "refresh_token"])
    }

    private func expectOneRequest(to url: String, with fields: [String: String]) throws {
        let requests = asked.change { $0 }
        #expect(requests.map(\.url) == [url])
        var form = Dictionary(uniqueKeysWithValues: try #require(requests.first).form)
        let text = form.removeValue(forKey: "client_secret")
        let secret = try CompactJWS(try #require(text))
        try secret.verify(with: key.verificationKey)
        #expect(try secret.claims()["sub"]?.string == Genuine.audience)
        #expect(try secret.claims()["exp"]?.integer == Genuine.now + 300)
        #expect(form == fields.merging(["client_id": Genuine.audience]) { $1 })
    }

    @Test(
        "an answer that is no grant to the end is none, and nothing of it is repeated",
        arguments: [
            "", "{}", "[]", "<html>", "null", grant("refresh_token", nil), grant("refresh_token", ""),
            grant("refresh_token", 7), grant("id_token", nil), grant("id_token", ""), grant("id_token", "a.b.c"),
            grant("id_token", .string(Forge.claim("aud", "com.example.other"))),
            grant("id_token", .string(Forge.claim("iss", "https://forger.example"))),
            grant("id_token", .string(Forge.claim("sub", nil))), grant("id_token", .string(Forge.claim("sub", ""))),
            grant("id_token", .string(Forge.header("alg", "none"))),
        ])
    func noGrant(body: String) {
        #expect(exchange(200, body) == .failure(.unavailable("an answer without a usable grant")))
    }

    @Test("whose code it was stands in the identity token, whose age and signature are Apple's business here")
    func grantOfOldToken() {
        for token in [Forge.claim("exp", .integer(1)), Forge.token(by: Genuine.forgersKey)] {
            let grant = AppleGrant(subject: Genuine.subject, refreshToken: Self.refreshToken)
            #expect(exchange(200, Self.grant("id_token", .string(token))) == .success(grant))
        }
    }

    @Test("a code that is not good is refused for good", arguments: [400, 401, 403])
    func grantRefused(status: Int) {
        let body = #"{"error":"invalid_grant","error_description":"The code has expired or has been revoked."}"#
        #expect(exchange(status, body) == .failure(.grantRefused))
    }

    @Test("a token that is dead already has been revoked as well as can be")
    func revokedBefore() {
        #expect(revoke(200, "") == nil)
        #expect(revoke(200, "<html>") == nil)
        #expect(revoke(400, #"{"error":"invalid_grant"}"#) == nil)
    }

    @Test(
        "credentials that are refused are told of in a word that we know",
        arguments: [
            "invalid_client", "invalid_request", "invalid_scope", "unauthorized_client", "unsupported_grant_type",
            "unsupported_token_type",
        ])
    func credentialsRefused(word: String) {
        for status in [400, 401, 403] {
            #expect(exchange(status, #"{"error":"\#(word)"}"#) == .failure(.credentialsRefused(word)))
            #expect(revoke(status, #"{"error":"\#(word)"}"#) == .credentialsRefused(word))
        }
    }

    @Test(
        "what says nothing of code or credentials may be otherwise tomorrow, and is not repeated",
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

    @Test("no answer at all may be one tomorrow")
    func noAnswer() {
        let endpoints = endpoints { (_, _) throws(FormFault) in throw FormFault("Timeout was reached (curl 28)") }
        #expect(throws: AppleServerFault.unavailable("Timeout was reached (curl 28)")) {
            try endpoints.exchange(code: Self.code, for: Genuine.audience, now: Genuine.moment)
        }
        #expect(throws: AppleServerFault.unavailable("Timeout was reached (curl 28)")) {
            try endpoints.revoke(refreshToken: Self.refreshToken, of: Genuine.audience, now: Genuine.moment)
        }
    }
}
