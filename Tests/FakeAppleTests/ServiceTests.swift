import JOSE
import JSON
import TestSupport
import Testing

@testable import FakeApple

@Suite("The fake Apple over HTTP")
struct ServiceTests {
    private let folder: TemporaryFolder
    private let service: FakeAppleService

    init() throws {
        folder = try TemporaryFolder()
        service = FakeAppleService(key: try AppleKey(in: folder.file("apple")), audience: "com.example.app")
    }

    private func answer(_ method: String, _ path: String, _ body: String = "") -> HTTPReply {
        service.answer(HTTPRequest(method: method, path: path, body: Array(body.utf8)))
    }

    @Test("the published key verifies what is minted, and stays the same while its folder lasts")
    func keySet() throws {
        let set = try JWKSet(parsing: answer("GET", "/auth/keys").body, usableFor: [.RS256])
        let login = try JSONValue(parsing: answer("GET", "/mint").body)
        let token = try CompactJWS(try #require(login.object?["identityToken"]?.string))
        let keyID = try #require(token.keyID)
        try token.verify(with: try #require(set[keyID]))
        let again = FakeAppleService(key: try AppleKey(in: folder.file("apple")), audience: "com.example.app")
        let request = HTTPRequest(method: "GET", path: "/auth/keys", body: [])
        #expect(again.answer(request).body == answer("GET", "/auth/keys").body)
    }

    @Test("a login is minted to order")
    func order() throws {
        let reply = answer("POST", "/mint", #"{"sub":"ann","claims":{"iss":"https://x.example"}}"#)
        #expect(reply.status == "200 OK")
        let login = try #require(try JSONValue(parsing: reply.body).object)
        #expect(login["userIdentifier"] == "ann")
        let claims = try CompactJWS(try #require(login["identityToken"]?.string)).claims()
        #expect(claims["iss"] == "https://x.example")
    }

    @Test(
        "what is not understood is refused",
        arguments: [
            ("POST", "/mint", "", "400"), ("POST", "/mint", "[]", "400"), ("POST", "/mint", #"{"x":1}"#, "400"),
            ("GET", "/", "", "404"), ("PUT", "/mint", "", "404"), ("POST", "/auth/keys", "", "404"),
        ])
    func refusals(method: String, path: String, body: String, status: String) {
        #expect(answer(method, path, body).status.hasPrefix(status))
    }

    @Test(
        "a request is read when all of it is there",
        arguments: [
            "GET /mint?x=1 HTTP/1.1\r\nHost: x\r\n\r\n",
            "POST /mint HTTP/1.1\r\ncontent-length:  2\r\n\r\n{}",
            "POST /mint HTTP/1.0\r\nContent-Length: 0\r\n\r\n",
        ])
    func reading(text: String) {
        let bytes = Array(text.utf8)
        for count in 0..<bytes.count { #expect(HTTPRequest.read(Array(bytes[..<count])) == .incomplete) }
        guard case .complete(let request) = HTTPRequest.read(bytes) else {
            Issue.record("not read")
            return
        }
        #expect(request.path == "/mint")
        #expect(text.hasPrefix(request.method))
        #expect(text.hasSuffix("\r\n\r\n" + String(decoding: request.body, as: UTF8.self)))
    }

    @Test(
        "what is no request is refused",
        arguments: [
            "\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n", "GET / SPDY/3\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 65537\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
        ])
    func malformed(text: String) {
        #expect(HTTPRequest.read(Array(text.utf8)) == .malformed)
    }
}
