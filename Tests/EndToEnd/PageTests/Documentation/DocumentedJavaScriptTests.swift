import TestSupport
import Testing

@testable import ServerSupport

/// The client for browsers in the documentation, in a browser.
@Suite("JavaScript in the documentation", .needs(.chromium))
struct DocumentedJavaScriptTests {
    @Test("A page binds its session to a key that no script can read, and uses it after it is loaded again")
    func boundSession() throws {
        let server = try ServerBehindNginx(
            locations: """
                location = /page {
                    default_type text/html;
                    # In place of the policy for answers of the API, which lets a page fetch nothing.
                    add_header Content-Security-Policy "default-src 'self'";
                    return 200 '<!doctype html>';
                }
                """
        ) {
            $0["DPOP_GUARD"] = "required"
            $0["DPOP_NONCE"] = "required"
        }
        let page = DocumentationPage(path: "Sources/Server/Gatehouse/Gatehouse.docc/OtherClients.md")
        let code = try #require(
            try page.blocks(of: "A session that is bound to the device", "js").first)
        let login = """
            const key = await makeKey()
            const body = { email: 'ann@example.com', devSecret: '\(ServerBehindNginx.devSecret)' }
            const answer = await send(key, 'POST', '/api/auth/dev-login', { body })
            const session = await answer.json()
            await makeKey()  // of a later login that does not succeed
            sessionStorage.session = JSON.stringify({ ...session, key })
            return answer.status + ' ' + session.tokenType
            """
        let use = """
            const { key, accessToken, refreshToken } = JSON.parse(sessionStorage.session)
            const user = await send(key, 'GET', '/api/users/me?x=1#y', { token: accessToken })
            const change = await send(key, 'PATCH', '/api/users/me', { token: accessToken, body: { nickname: 'Ann' } })
            const renewed = await (await send(key, 'POST', '/api/auth/refresh', { body: { refreshToken } })).json()
            const stolen = await fetch('/api/auth/refresh', { method: 'POST',
                headers: { 'Content-Type': 'application/json' },
                body: JSON.stringify({ refreshToken: renewed.refreshToken }) })
            const { privateKey } = await keys('readonly', (store) => store.get(key))
            const copy = await crypto.subtle.exportKey('jwk', privateKey).catch((error) => error.name)
            const logout = await send(
                key, 'POST', '/api/auth/logout', { body: { refreshToken: renewed.refreshToken } })
            await deleteKey(key)
            const lost = await send(key, 'GET', '/api/users/me').catch((error) => error instanceof KeyLost)
            return [user.status, change.status, renewed.tokenType, stolen.status, copy, logout.status, lost].join(' ')
            """
        let outcome = try Shell.outcome(
            of: [
                "timeout", "--kill-after=10", "300", "/usr/bin/python3", "-B",
                Executable.root + "/Tests/EndToEnd/Scripts/run-in-page.py",
                "https://localhost:\(server.port)/page", server.folder.file("chromium"),
                code + "\n" + login, code + "\n" + use,
            ],
            environment: ["PATH": DevelopmentServer.path, "HOME": server.folder.path])
        #expect(outcome.text == "200 DPoP\n200 200 DPoP 401 InvalidAccessError 204 true\n", "\(outcome.errorOutput)")
    }
}
