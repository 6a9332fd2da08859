import Foundation
import JSON
import TestSupport
import Testing

@testable import GatehouseWeb
@testable import ServerSupport

/// A control character in a header value would end the header or start another one.
@Suite("Response header values")
struct HeaderValueTests {
    /// Characters that must not appear in a header, and injected header lines.
    static let unsafe = [
        "\r", "\n", "\r\n", "\r\nX-User-Role: SUPER_ADMIN", "\nX-User-Role: SUPER_ADMIN", "\rX-User-Role: SUPER_ADMIN",
        "\r\n\r\nbody", "\u{0}", "\u{1}", "\t", "\u{B}", "\u{C}", "\u{1B}", "\u{1F}", "\u{7F}", "\u{80}", "\u{85}",
        "\u{A0}", "é", "\u{2028}", "😀",
    ]

    @Test("A value consists of visible ASCII with spaces only inside, and is not empty")
    func everyByte() {
        #expect(FieldValue(checking: "") == nil)
        for byte in UInt8.min...UInt8.max {
            let character = String(UnicodeScalar(byte))
            let isVisible = (0x21...0x7E).contains(byte)
            for text in [character, "a" + character, character + "a"] {
                #expect((FieldValue(checking: text) != nil) == isVisible, "\(byte)")
            }
            #expect((FieldValue(checking: "a" + character + "a") != nil) == (isVisible || byte == 0x20), "\(byte)")
        }
    }

    /// The lines of the response's header block.
    private func lines(of response: Response) -> [String] {
        var bytes: [UInt8] = []
        response.write(answering: "GET", requestID: "id", to: &bytes)
        return String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")
    }

    @Test("A header with an unsafe value from outside is left out")
    func unsafeHeader() {
        let values = Self.unsafe.flatMap { ["a" + $0, $0 + "a", "a" + $0 + "a"] }
        let headers = values.compactMap { Response.Header("X-Other", checking: $0) }
        #expect(headers == [])
        let kept = lines(of: Response(status: 204, headers: [Response.Header("X-Other", "a b")]))
        #expect(kept.contains("X-Other: a b"))
    }

    /// A party that has the secret can sign any claim. The guard must not turn claims into header lines.
    @Test("A token whose claims are unsafe as header values is refused", arguments: [TestEnvironment.handler, .nginx])
    func claims(_ environment: TestEnvironment) throws {
        let fixture = try GuardFixture.shared.get()
        let server = environment == .nginx ? fixture.server : try SharedServers.standard(environment)
        let path = environment == .nginx ? "/notes/claims" : "/api/auth/verify"
        let login = try server.devLogin("claims-\(environment)@example.com").accessToken
        for claim in environment == .nginx ? ["role"] : ["sub", "sid", "role"] {
            let odd = ["", " ", "  "] + Self.unsafe
            for value in odd + (odd + [" "]).flatMap({ ["USER" + $0, $0 + "USER"] }) where value != "USER" {
                let token = try ForgedToken.accessToken(like: login, claim: claim, value)
                let response = try server.send(.get(path, bearer: token))
                #expect(response.status == 401, "\(claim) \(value.debugDescription)")
                #expect(response.code == "invalid_access_token")
                #expect(response.header("x-user-id") == nil)
                #expect(response.header("x-user-role") == nil)
            }
        }
        #expect(fixture.upstream.requests(at: path).isEmpty)
        #expect(try server.send(.get(path, bearer: login)).status == (environment == .nginx ? 200 : 204))
    }

    @Test("An unsafe request id is replaced")
    func requestID() throws {
        let server = try ServerProcess()
        let others = ["chosen id", " chosen", "", "\"", String(repeating: "a", count: 65)]
        for id in Self.unsafe.map({ "chosen" + $0 }) + others {
            let parameters = [("REQUEST_METHOD", "GET"), ("REQUEST_ID", id)]
            let bytes = FastCGIWire.request("/api/users/me", body: [], parameters: parameters)
            // libfcgi refuses a parameter with a NUL byte.
            guard !id.contains("\0") else {
                let peer = try server.connect()
                try peer.send(bytes)
                #expect(try peer.isEnded())
                continue
            }
            let response = TestResponse(parsing: Array(try server.connect().exchange(bytes).text.utf8))
            #expect(response.header("x-request-id")?.hasPrefix("req_") == true, "\(id.debugDescription)")
            #expect(response.count(ofHeader: "x-request-id") == 1)
            #expect(response.header("x-user-role") == nil)
        }
    }

    @Test("Method and path do not appear in response headers")
    func allow() throws {
        let server = try SharedServers.standard(.handler)
        for unsafe in Self.unsafe {
            let response = try server.send(TestRequest(method: "GET" + unsafe, path: "/api/users/me"))
            #expect(response.status == 405)
            #expect(response.header("allow") == "GET, HEAD, PATCH, DELETE")
            let lost = try server.send(.get("/api/users/me/sessions/" + unsafe))
            // A path with a NUL names nothing.
            #expect(lost.status == (unsafe == "\0" ? 404 : 405))
            #expect(lost.header("allow") == (unsafe == "\0" ? nil : "DELETE"))
        }
    }
}
