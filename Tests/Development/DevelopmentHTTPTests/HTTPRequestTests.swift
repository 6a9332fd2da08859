import Testing

@testable import DevelopmentHTTP

@Suite("A request to a development server")
struct HTTPRequestTests {
    @Test(
        "is parsed when it is complete",
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

    @Test("has its content type")
    func contentType() {
        let text = "POST / HTTP/1.1\r\nCONTENT-TYPE: a/b; c=d\r\n\r\n"
        #expect(
            HTTPRequest.read(Array(text.utf8))
                == .complete(
                    HTTPRequest(method: "POST", target: "/", fields: [.init(name: "content-type", value: "a/b; c=d")]))
        )
    }

    @Test(
        "malformed is refused",
        arguments: [
            "\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n", "GET / SPDY/3\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 65537\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
        ])
    func malformed(text: String) {
        #expect(HTTPRequest.read(Array(text.utf8)) == .malformed)
    }
}
