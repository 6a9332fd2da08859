import Curl
import Testing

@Suite("Addresses of this machine")
struct LoopbackTests {
    @Test(
        "are told by their host",
        arguments: [
            "http://127.0.0.1/", "http://127.0.0.1:8444/x", "https://localhost:8443", "http://[::1]:1?x",
            "http://localhost",
        ])
    func own(url: String) {
        #expect(Loopback.isHost(of: url))
    }

    @Test(
        "are no others, however they begin",
        arguments: [
            "", "127.0.0.1", "http://127.0.0.10/", "http://localhost.example.com/", "http://example.com/127.0.0.1",
            "http://localhost@example.com/", "http://localhost:x@example.com/", "ftp://localhost/", "http:///localhost",
            "http://example.com#localhost",
        ])
    func foreign(url: String) {
        #expect(!Loopback.isHost(of: url))
    }
}
