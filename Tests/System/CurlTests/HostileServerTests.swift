import Curl
import Testing

@Suite("A hostile server")
struct HostileServerTests {
    /// As for the receivers of events.
    private var client: HTTPClient {
        var client = HTTPClient(timeout: .seconds(20))
        client.cutsLongBodies = true
        return client
    }

    /// What the kernel's buffers and libcurl's take at most, far below what the server would send.
    private static let mostBytes = 32 << 20

    private static let piece = String(repeating: "x", count: 65_536)

    @Test(
        "sends gigabytes of a body, and 64 KiB of them are read",
        arguments: [
            ("Content-Length: 8589934592\r\nRetry-After: 120\r\n\r\n", piece),
            ("Retry-After: 120\r\n\r\n", piece),
            ("Retry-After: 120\r\nTransfer-Encoding: chunked\r\n\r\n", "10000\r\n\(piece)\r\n"),
            ("Retry-After: 120\r\nContent-Encoding: gzip\r\n\r\n", piece),
        ])
    func body(headers: String, piece: String) throws {
        let peer = try Peer(.endless("HTTP/1.1 503 Busy\r\n" + headers, piece))
        let response = try client.post(peer.url, json: Array("{}".utf8))
        #expect(response.status == 503 && response.retryAfter == "120")
        #expect(response.body.count <= 65_536)
        #expect(peer.sentBytes < Self.mostBytes)
    }

    @Test(
        "sends headers or trailers without an end, and the transfer is ended",
        arguments: [
            ("HTTP/1.1 200 OK\r\n", "X-Header: \(String(repeating: "x", count: 1000))\r\n"),
            ("HTTP/1.1 200 OK\r\nX-Header: ", piece),
            ("HTTP/1.1 200 OK\r\n", "X: x\r\n"),
            ("HTTP/1.1 ", piece),
            ("", "HTTP/1.1 103 Early Hints\r\nLink: <\(String(repeating: "x", count: 1000))>\r\n\r\n"),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
                "X-Trailer: \(String(repeating: "x", count: 1000))\r\n"
            ),
        ])
    func headers(start: String, rest: String) throws {
        let peer = try Peer(.endless(start, rest))
        #expect(
            performing: { try client.post(peer.url, json: []) },
            throws: { ($0 as? HTTPFault).map { $0.stage == .answer } ?? false })
        #expect(peer.sentBytes < Self.mostBytes)
    }

    @Test(
        "sends slowly, and the time limit holds",
        arguments: [
            "HTTP/1.1 200 OK\r\n" + String(repeating: "X: x\r\n", count: 10_000),
            "HTTP/1.1 200 OK\r\n\r\n" + piece,
            String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 10_000),
        ])
    func slowly(text: String) throws {
        var client = client
        client.timeout = .milliseconds(300)
        let peer = try Peer(.drip(text, pauseMilliseconds: 20))
        #expect(
            performing: { try client.post(peer.url, json: []) },
            throws: { ($0 as? HTTPFault).map { $0.stage == .timeout } ?? false })
    }

    @Test(
        "says when to try again, or does not",
        arguments: [
            ("Retry-After: 120\r\n", "120"),
            ("retry-after:Fri, 31 Dec 1999 23:59:59 GMT\r\n", "Fri, 31 Dec 1999 23:59:59 GMT"),
            ("Retry-After: 1\r\nRetry-After: 2\r\n", "1"), ("", nil),
        ])
    func retryAfter(header: String, value: String?) throws {
        let peer = try Peer(.answer("HTTP/1.1 429 Slow down\r\n\(header)Content-Length: 0\r\n\r\n"))
        #expect(try client.post(peer.url, json: []).retryAfter == value)
    }
}
