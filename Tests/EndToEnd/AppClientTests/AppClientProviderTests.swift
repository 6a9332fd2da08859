import Foundation
import FoundationNetworking
import GatehouseClient
import TestSupport
import Testing

@testable import ServerSupport

/// Logins and accounts of providers other than Apple, with a server that answers as a test has planned.
@Suite("App: other providers")
struct AppClientProviderTests {
    private let app = BoundAppFixture()

    // MARK: What is sent

    struct Sent: Sendable, CustomTestStringConvertible {
        let login: ProviderLogin
        let members: [String: String]
        var testDescription: String { "\(login) \(members.keys.sorted())" }
    }

    static let sent = [
        Sent(
            login: .google(idToken: "t", nonce: "n", accessToken: "a"),
            members: ["provider": "GOOGLE", "identityToken": "t", "nonce": "n", "accessToken": "a"]),
        Sent(login: .google(idToken: "t"), members: ["provider": "GOOGLE", "identityToken": "t"]),
        Sent(login: .weChat(code: "c"), members: ["provider": "WECHAT", "code": "c"]),
        Sent(login: .qq(accessToken: "a"), members: ["provider": "QQ", "accessToken": "a"]),
        Sent(
            login: .qq(code: "c", redirectURI: "https://example.com/qq"),
            members: ["provider": "QQ", "code": "c", "redirectUri": "https://example.com/qq"]),
        Sent(
            login: ProviderLogin("company_2", .identityToken("t"), nickname: "Ann"),
            members: ["provider": "COMPANY_2", "identityToken": "t", "nickname": "Ann"]),
    ]

    @Test("A login has what the provider's SDK gave, and no other member", arguments: sent)
    func login(expected: Sent) async throws {
        let session = try await app.client().signIn(with: expected.login)
        #expect(session.user.id == "user_1")
        #expect(app.server.seen().map(\.path) == ["/api/auth/identity"])
        #expect(app.server.seen().first?.body == expected.members)
    }

    @Test("Linking has the same members, without the nickname, and the provider in the path", arguments: sent)
    func link(expected: Sent) async throws {
        let client = try await app.signedIn()
        let name = expected.login.provider.rawValue.lowercased()
        app.server.plan("accounts/" + name, .answer(200, body: #"{"accounts":[]}"#))
        #expect(try await client.link(expected.login) == [])
        let seen = try #require(app.server.seen("/api/users/me/accounts/" + name).first)
        #expect(seen.body == expected.members.filter { !["provider", "nickname"].contains($0.key) })
        #expect(seen.method == "POST" && seen.authorization == "DPoP access1" && app.server.faults == [])
    }

    @Test("Apple's login has Apple's path and members, by either call", arguments: [false, true])
    func apple(byName: Bool) async throws {
        var login = AppleLogin(identityToken: "t", nonce: "n", authorizationCode: "c")
        login.nickname = "Ann"
        if byName {
            try await app.client().signIn(with: .apple(login))
        } else {
            try await app.client().signIn(apple: login)
        }
        let members = ["identityToken": "t", "nonce": "n", "authorizationCode": "c", "nickname": "Ann"]
        #expect(app.server.seen().map(\.path) == ["/api/auth/apple"] && app.server.seen().first?.body == members)
    }

    @Test("Unlinking names the provider in lower case, as one segment, and proves the login if it is to")
    func unlink() async throws {
        let client = try await app.signedIn()
        for path in ["google", "qq", "apple", "b c"] { app.server.plan(path, .answer(204)) }
        try await client.unlink(provider: .google)
        try await client.unlink(provider: .qq, proof: .weChat(code: "c"))
        try await client.unlinkApple(proof: AppleLogin(identityToken: "t", nonce: "n", authorizationCode: "c"))
        try await client.unlink(provider: "a/b c")
        let seen = app.server.seen().filter { $0.method == "DELETE" }
        #expect(
            seen.map(\.path).map { $0.replacing("/api/users/me/accounts/", with: "") } == [
                "google", "qq", "apple", "a/b c",
            ])
        #expect(
            seen.map(\.body) == [
                nil, ["provider": "WECHAT", "code": "c"], ["identityToken": "t", "nonce": "n"], nil,
            ])
    }

    // MARK: A code is sent once

    static let failures: [BoundServer.Plan] =
        AppClientCodeTests.failures + [.problem(503, "provider_unavailable"), .problem(401, "invalid_identity")]

    @Test("A login with a code is sent once, whatever becomes of it", arguments: failures)
    func code(failure: BoundServer.Plan) async throws {
        let client = app.client()
        app.server.plan("identity", failure, failure)
        await #expect(throws: GatehouseError.self) { try await client.signIn(with: .weChat(code: "c")) }
        #expect(client.state == .signedOut(nil) && app.clock.pauses == [])
        #expect(app.server.seen("identity").count == 1)
    }

    @Test(
        "Linking by a code is sent once, whatever becomes of it",
        arguments: failures + [.answer(401, body: "of a proxy")])
    func linkByCode(failure: BoundServer.Plan) async throws {
        let client = try await app.signedIn()
        app.server.plan("wechat", failure, failure)
        await #expect(throws: GatehouseError.self) { try await client.link(.weChat(code: "c")) }
        #expect(app.server.seen("wechat").count == 1)
    }

    @Test("Where the server may have used the code, the error says to get a new one", arguments: [503, 429])
    func textOfUsedCode(status: Int) async throws {
        let client = app.client()
        app.server.plan("identity", .problem(status, "provider_unavailable"))
        let error = await #expect(throws: GatehouseError.self) { try await client.signIn(with: .weChat(code: "c")) }
        guard case .refused(let problem) = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(problem.code == .providerUnavailable && problem.requestId == "r")
        #expect(
            problem.detail.hasPrefix("What is wrong.") && problem.detail.contains("get a new one") == (status == 503))
    }

    @Test(
        "A login with an identity token or an access token is repeated after a lost answer",
        arguments: [ProviderLogin.google(idToken: "t"), .qq(accessToken: "a"), .apple(AppleLogin(identityToken: "t"))])
    func token(login: ProviderLogin) async throws {
        let path = login.provider == .apple ? "apple" : "identity"
        app.server.plan(path, .loseAnswer, .problem(503, "provider_unavailable"))
        try await app.client().signIn(with: login)
        #expect(app.server.seen(path).count == 3 && app.clock.pauses == [.milliseconds(500), .seconds(2)])
    }

    @Test("A refused access token is refreshed, and the link by a code sent again: the server looks at the token first")
    func refreshedLink() async throws {
        let client = try await app.signedIn()
        app.server.plan(
            "wechat", .problem(401, "access_token_expired"), .answer(200, body: #"{"accounts":[]}"#))
        try await client.link(.weChat(code: "c"))
        #expect(app.server.seen("wechat").map(\.authorization) == ["DPoP access1", "DPoP access2"])
        #expect(Set(app.server.seen("wechat").map(\.body)) == [["code": "c"]])
    }

    // MARK: Bound logins

    @Test("A login with a code whose proof lacks the server's nonce is sent again with it, and only then")
    func nonce() async throws {
        let client = app.client()
        app.server.plan("identity", .refuse("nonce", headers: ["DPoP-Nonce": "n"]))
        try await client.signIn(with: .weChat(code: "c"))
        let seen = app.server.seen("identity")
        #expect(seen.map { $0.proof?["nonce"] } == [nil, "n"] && seen[0].body == seen[1].body)
        #expect(app.keys.names.count == 1 && app.server.faults == [])
        app.server.plan("identity", .refuse("nonce", headers: ["DPoP-Nonce": "m"]), .loseAnswer)
        await #expect(throws: GatehouseError.self) { try await client.signIn(with: .weChat(code: "d")) }
        #expect(app.server.seen("identity").count == 4)
    }

    @Test("A login with a code whose every proof would be refused is sent once more, without a proof")
    func refusedProof() async throws {
        let client = app.client()
        app.server.plan("identity", .refuse("url"), .loseAnswer)
        await #expect(throws: GatehouseError.noAnswer(.networkConnectionLost)) {
            try await client.signIn(with: .weChat(code: "c"))
        }
        #expect(app.server.seen("identity").map { $0.proof == nil } == [false, true])
    }

    // MARK: Refusals

    @Test(
        "A refusal has its code and its reason",
        arguments: [
            (422, "invalid_identity", ProblemCode.invalidIdentity, "client", ProblemReason.client),
            (422, "invalid_identity", .invalidIdentity, "code", .code),
            (404, "unknown_provider", .unknownProvider, "of_tomorrow", ProblemReason(rawValue: "of_tomorrow")),
            (409, "account_already_linked", .accountAlreadyLinked, "identity", .identity),
            (409, "account_already_linked", .accountAlreadyLinked, "provider", .provider),
        ])
    func refusal(status: Int, text: String, code: ProblemCode, reasonText: String, reason: ProblemReason) async throws {
        let client = try await app.signedIn()
        app.server.plan("google", .problem(status, text, reason: reasonText))
        let error = await #expect(throws: GatehouseError.self) { try await client.link(.google(idToken: "t")) }
        guard case .refused(let problem) = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(problem.code == code && problem.reason == reason && !problem.detail.contains("get a new one"))
        #expect("\(problem)".hasPrefix("\(status) \(text) (\(reasonText)): What is wrong."))
    }

    // MARK: The stored provider

    @Test("The session keeps its provider through a refresh and a restart, and the next login replaces it")
    func storedProvider() async throws {
        let client = app.client()
        try await client.signIn(with: ProviderLogin(Provider(rawValue: "company"), .accessToken("a")))
        app.expireToken()
        _ = try await client.accessToken()
        let restarted = app.client()
        try await restarted.restore()
        #expect(await restarted.loginProvider == "company")
        try await restarted.signIn(apple: AppleLogin(identityToken: "t"))
        #expect(await restarted.loginProvider == .apple)
        try await restarted.signIn(development: app.login)
        #expect(await restarted.loginProvider == .development)
        await restarted.signOut()
        #expect(await restarted.loginProvider == nil)
    }
}
