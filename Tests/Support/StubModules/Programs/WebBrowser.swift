// Runs signInOnTheWeb with the stub of Apple's browser.
import AuthenticationServices
import Foundation
import FoundationNetworking
import GatehouseClient

/// Answers the exchange, and records the bodies.
actor Server: HTTPTransport {
    private(set) var bodies: [[String: String]] = []

    func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        if let body = request.httpBody, request.url?.path == "/api/auth/exchange" {
            bodies.append((try? JSONDecoder().decode([String: String].self, from: body)) ?? [:])
        }
        let body = """
            {"accessToken": "a", "refreshToken": "r", "expiresIn": 900, "isNewUser": true, "user": {"id": "user_1",
             "email": null, "emailVerified": false, "nickname": null, "avatarUrl": null, "role": "USER",
             "status": "ACTIVE", "onboardingCompleted": false}}
            """
        let response = HTTPURLResponse(url: request.url!, statusCode: 200, httpVersion: nil, headerFields: nil)!
        return (Data(body.utf8), response)
    }
}

@main
@MainActor
struct Program {
    static let server = Server()
    static let client = GatehouseClient(
        URL(string: "https://api.example.com")!, store: MemorySessionStore(), transport: server)
    static let window = ASPresentationAnchor()
    static let link = "https://app.example.com/signed-in?from=app"

    static func main() async throws {
        await signsIn()
        await ephemeral()
        await failures()
        await notStarted()
        await cancelledTask()
    }

    static func signIn(
        _ redirectURI: String = "com.example.app:/signed-in", isEphemeral: Bool = false
    ) -> Task<Session, any Error> {
        Task {
            try await client.signInOnTheWeb(
                with: "company", redirectURI: redirectURI, isEphemeral: isEphemeral, anchor: { window })
        }
    }

    /// Waits until browser number `count` is open.
    static func browser(_ count: Int) async -> ASWebAuthenticationSession {
        while ASWebAuthenticationSession.stubStarted.count < count { await Task.yield() }
        return ASWebAuthenticationSession.stubStarted[count - 1]
    }

    static func parameter(_ name: String, of browser: ASWebAuthenticationSession) -> String? {
        URLComponents(url: browser.stubURL, resolvingAgainstBaseURL: true)?.queryItems?.first { $0.name == name }?.value
    }

    static func failure(_ task: Task<Session, any Error>) async -> WebSignInError? {
        do { _ = try await task.value } catch { return error as? WebSignInError }
        return nil
    }

    static func signsIn() async {
        let login = signIn()
        let browser = await browser(1)
        expect(browser.stubURL.absoluteString.hasPrefix("https://api.example.com/api/auth/company/start?"), "the URL")
        expect(browser.stubCallback.stubScheme == "com.example.app", "the scheme of the app")
        expect(browser.presentationContextProvider?.presentationAnchor(for: browser) === window, "the window")
        expect(!browser.prefersEphemeralWebBrowserSession, "the user's own browser")
        let state = parameter("state", of: browser) ?? ""
        browser.stubComplete(URL(string: "com.example.app:/signed-in?code=c1&state=\(state)"), nil)
        expect(try? await login.value.isNewUser, true, "it signs in")
        expect(await server.bodies.last?["code"] == "c1", "the code is exchanged")
    }

    static func ephemeral() async {
        let login = signIn(link, isEphemeral: true)
        let browser = await browser(2)
        expect(browser.stubCallback.stubPlace == ["app.example.com", "/signed-in"], "the host and the path of a link")
        expect(browser.prefersEphemeralWebBrowserSession, "a browser that forgets")
        let state = parameter("state", of: browser) ?? ""
        browser.stubComplete(URL(string: "\(link)&code=c2&state=\(state)"), nil)
        expect(try? await login.value.user.id, "user_1", "it signs in with a link")
        expect(await server.bodies.last?["redirectUri"] == link, "the redirect URI is sent as it is")
    }

    static func failures() async {
        let reason = "Application with identifier com.example.app is not associated with domain app.example.com."
        let table: [(ASWebAuthenticationSessionError, WebSignInError)] = [
            (.init(.canceledLogin), .cancelled),
            (.init(.canceledLogin, stubReason: reason), .notPresented(reason)),
            (.init(.presentationContextInvalid), .notPresented("ASWebAuthenticationSessionError 3")),
        ]
        for (index, (error, expected)) in table.enumerated() {
            let login = signIn(link)
            await browser(3 + index).stubComplete(nil, error)
            expect(await failure(login), expected, "an error of the browser")
        }
        let login = signIn()
        let browser = await browser(6)
        let state = parameter("state", of: browser) ?? ""
        browser.stubComplete(URL(string: "com.example.app:/signed-in?error=access_denied&state=\(state)"), nil)
        expect(await failure(login), .declined, "the user declined at the provider")
        expect(await server.bodies.count == 2, "nothing is exchanged")
    }

    static func notStarted() async {
        ASWebAuthenticationSession.stubStarts = false
        let login = signIn()
        guard case .notPresented = await failure(login) else { return expect(false, "the browser does not start") }
        ASWebAuthenticationSession.stubStarts = true
    }

    static func cancelledTask() async {
        let login = signIn()
        let browser = await browser(7)
        login.cancel()
        expect(await failure(login), .cancelled, "a cancelled task does not wait for the browser")
        while ASWebAuthenticationSession.stubCancelled.isEmpty { await Task.yield() }
        expect(ASWebAuthenticationSession.stubCancelled.last === browser, "the browser is closed")
        browser.stubComplete(nil, ASWebAuthenticationSessionError(.canceledLogin))
    }

    static func expect<Result: Equatable>(_ result: Result?, _ expected: Result, _ rule: String) {
        expect(result == expected, "\(rule): \(String(describing: result))")
    }

    static func expect(_ condition: Bool, _ rule: String) {
        guard !condition else { return }
        print("failed: \(rule)")
        exit(1)
    }
}
