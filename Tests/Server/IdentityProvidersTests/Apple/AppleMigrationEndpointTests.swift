import Gatehouse
import IdentityProviders
import JOSE
import JSON
import POSIX
import Testing

@testable import Curl

@Suite("Apple's endpoint for moving users to another team")
struct AppleMigrationEndpointTests {
    private typealias Request = (url: String, form: [String: String], token: String?)

    private static let addresses = AppleAddresses(
        token: "https://apple.example/token", revocation: "https://apple.example/revoke",
        migration: "https://apple.example/migrate")
    private static let token = #"{"access_token":"a0","token_type":"Bearer","expires_in":3600}"#
    private let requests = Monitor<[Request]>([])
    private let key: SigningKey

    init() throws {
        key = try SigningKey.generate(.ES256, keyID: "ABC123DEFG")
    }

    private func endpoint(
        token: @escaping @Sendable () -> (Int, String) = { (200, Self.token) },
        answer: @escaping @Sendable (_ number: Int) -> (Int, String)
    ) -> AppleMigrationEndpoint {
        let secrets = ClientSecrets(teamID: "DEF123GHIJ", key: key)
        return AppleMigrationEndpoint(at: Self.addresses, secrets: secrets) { [requests] url, form, bearer in
            let number = requests.change { requests in
                requests.append((url, Dictionary(uniqueKeysWithValues: form), bearer))
                return requests.count { $0.url == Self.addresses.migration }
            }
            let (status, body) = url == Self.addresses.token ? token() : answer(number)
            return HTTPResponse(status: status, body: Array(body.utf8))
        }
    }

    private func export(_ endpoint: AppleMigrationEndpoint, now: Timestamp = ValidLogin.now) -> Result<
        String, AppleMigrationFault
    > {
        Result { () throws(AppleMigrationFault) in
            try endpoint.transferSubject(of: "s1", to: "TEAMB", for: "app", now: now)
        }
    }

    private func migrate(_ endpoint: AppleMigrationEndpoint) -> Result<MigratedSubject, AppleMigrationFault> {
        Result { () throws(AppleMigrationFault) in try endpoint.subject(of: "T1", for: "app", now: ValidLogin.now) }
    }

    private func migrate(_ status: Int, _ body: String) -> Result<MigratedSubject, AppleMigrationFault> {
        migrate(endpoint { _ in (status, body) })
    }

    private var sent: [Request] { requests.change { $0 } }

    @Test("the access token is asked for once, for the app, and sent with each request")
    func requestsOfExport() throws {
        let endpoint = endpoint { (200, #"{"transfer_sub":"T\#($0)"}"#) }
        #expect(export(endpoint) == .success("T1") && export(endpoint) == .success("T2"))
        #expect(sent.map(\.url) == [Self.addresses.token, Self.addresses.migration, Self.addresses.migration])
        #expect(sent.map(\.token) == [nil, "a0", "a0"])
        var forms = sent.map(\.form)
        for index in forms.indices {
            let text = forms[index].removeValue(forKey: "client_secret")
            let secret = try CompactJWS(try #require(text))
            #expect(try secret.claims()["sub"]?.string == "app")
        }
        #expect(forms[0] == ["client_id": "app", "grant_type": "client_credentials", "scope": "user.migration"])
        #expect(forms[1] == ["client_id": "app", "sub": "s1", "target": "TEAMB"])
    }

    @Test("an access token is replaced a minute before it ends, and each app has its own")
    func lifetime() throws {
        let endpoint = endpoint { _ in (200, #"{"transfer_sub":"T"}"#) }
        func tokens() -> Int { sent.count { $0.url == Self.addresses.token } }
        _ = export(endpoint)
        _ = export(endpoint, now: ValidLogin.now + .seconds(3539))
        #expect(tokens() == 1)
        _ = export(endpoint, now: ValidLogin.now + .seconds(3540))
        #expect(tokens() == 2)
        _ = try endpoint.transferSubject(of: "s", to: "TEAMB", for: "web", now: ValidLogin.now)
        #expect(tokens() == 3)
    }

    @Test("an access token that Apple does not accept any more is replaced once", arguments: [401, 400])
    func endedToken(status: Int) {
        let refusal = status == 401 ? (401, "") : (400, #"{"error":"invalid_grant"}"#)
        let second = endpoint { $0 == 1 ? refusal : (200, #"{"transfer_sub":"T"}"#) }
        #expect(export(second) == .success("T") && sent.count == 4)
        let never = endpoint { _ in refusal }
        #expect(
            export(never)
                == .failure(status == 401 ? .unavailable("status 401") : .credentialsRefused("invalid_grant")))
        #expect(sent.count == 8)
    }

    @Test(
        "the address is the new relay address, and its flag is a boolean or a string",
        arguments: ["true", #""true""#])
    func relay(flag: String) {
        let body = #"{"sub":"n1","email":"x@privaterelay.appleid.com","is_private_email":\#(flag)}"#
        #expect(
            migrate(200, body)
                == .success(MigratedSubject(subject: "n1", email: "x@privaterelay.appleid.com", isPrivateEmail: true)))
        #expect(sent.last?.form["transfer_sub"] == "T1" && sent.last?.form["target"] == nil)
        #expect(migrate(200, #"{"sub":"n1"}"#) == .success(MigratedSubject(subject: "n1")))
    }

    @Test("invalid_request refuses the user here, and the credentials at the token endpoint")
    func refused() {
        let body = #"{"error":"invalid_request"}"#
        #expect(migrate(400, body) == .failure(.userRefused))
        let all = endpoint(token: { (400, body) }, answer: { _ in (200, #"{"sub":"n1"}"#) })
        #expect(migrate(all) == .failure(.credentialsRefused("invalid_request")))
    }

    @Test("other errors of OAuth refuse the credentials", arguments: ["invalid_client", "unauthorized_client"])
    func credentials(word: String) {
        #expect(migrate(400, #"{"error":"\#(word)"}"#) == .failure(.credentialsRefused(word)))
        let all = endpoint(token: { (400, #"{"error":"\#(word)"}"#) }, answer: { _ in (200, "") })
        #expect(migrate(all) == .failure(.credentialsRefused(word)))
    }

    @Test(
        "any other answer is a temporary fault that repeats nothing of it",
        arguments: [
            (400, ""), (400, #"{"error":"hunter2"}"#), (429, #"{"error":"invalid_request"}"#), (404, "<html>"),
            (500, #"{"error":"invalid_request"}"#), (503, ""), (302, ""),
        ])
    func unavailable(status: Int, body: String) {
        #expect(migrate(status, body) == .failure(.unavailable("status \(status)")))
        let all = endpoint(token: { (status, body) }, answer: { _ in (200, "") })
        #expect(migrate(all) == .failure(.unavailable("status \(status)")))
    }

    @Test(
        "an answer without a subject is a temporary fault",
        arguments: ["", "{}", "[]", "<html>", #"{"sub":""}"#, #"{"sub":7}"#, #"{"sub":"a\u0000b"}"#])
    func unreadable(body: String) {
        #expect(migrate(200, body) == .failure(.unavailable("an answer that cannot be read")))
    }

    @Test(
        "an access token that is no header value, or has no lifetime, is not used",
        arguments: [
            "{}", #"{"access_token":"","expires_in":3600}"#, #"{"access_token":"a\r\nX: y","expires_in":3600}"#,
            #"{"access_token":"a"}"#, #"{"access_token":"a","expires_in":-1}"#,
            #"{"access_token":"a","expires_in":9223372036854775807}"#,
        ])
    func unusableToken(body: String) {
        let endpoint = endpoint(token: { (200, body) }, answer: { _ in (200, #"{"sub":"n1"}"#) })
        #expect(migrate(endpoint) == .failure(.unavailable("an answer that cannot be read")))
    }
}
