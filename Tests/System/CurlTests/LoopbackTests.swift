import Curl
import Testing

@Suite("Loopback addresses")
struct LoopbackTests {
    @Test(
        "are localhost, ::1 and all of 127.0.0.0/8",
        arguments: [
            ("localhost", true), ("::1", true), ("127.0.0.1", true), ("127.0.0.2", true), ("127.255.255.255", true),
            ("", false), ("127", false), ("127.0.0", false), ("127.0.0.0.1", false), ("127.0.0.256", false),
            ("127.0.0.-1", false), ("127.0.0.x", false), ("127..0.1", false), ("0127.0.0.1", false),
            ("126.0.0.1", false), ("128.0.0.1", false), ("0.0.0.0", false), ("::", false), ("[::1]", false),
            ("127.example.com", false), ("127.0.0.1.example.com", false), ("localhost.example.com", false),
        ])
    func hosts(host: String, isLoopback: Bool) {
        #expect(Loopback.contains(host) == isLoopback)
    }

    @Test(
        "are recognised as the host of a URL",
        arguments: [
            "http://127.0.0.1/", "http://127.0.0.1:8444/x", "http://127.0.0.10/", "https://localhost:8443",
            "http://[::1]:1?x", "https://[::1]", "http://localhost",
        ])
    func loopbackURLs(url: String) {
        #expect(Loopback.isHost(of: url))
    }

    @Test(
        "are not recognised anywhere else in a URL",
        arguments: [
            "", "127.0.0.1", "http://localhost.example.com/", "http://example.com/127.0.0.1",
            "http://localhost@example.com/", "http://localhost:x@example.com/", "http://localhost:1@example.com/",
            "http://[::1]@example.com/", "http://[::1]x/", "http://[::2]/", "http://::1/", "ftp://localhost/",
            "http:///localhost", "http://example.com#localhost", "http://:80/",
        ])
    func otherURLs(url: String) {
        #expect(!Loopback.isHost(of: url))
    }
}
