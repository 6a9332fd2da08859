import Testing

@testable import Console

@Suite("What a browser does with a cookie")
struct ReceivedCookieTests {
    @Test("The parts of a Set-Cookie header, as it has them")
    func parts() {
        let cookie = ReceivedCookie("__Host-a=b=c; Path=/; Secure;HttpOnly; SameSite=None; Max-Age=600")
        #expect(cookie.name == "__Host-a" && cookie.value == "b=c" && cookie.effect == .stored)
        #expect(cookie.attributes.map(\.name) == ["Path", "Secure", "HttpOnly", "SameSite", "Max-Age"])
        #expect(cookie.attributes.map(\.value) == ["/", nil, nil, "None", "600"])
    }

    @Test(
        "It is stored, removed or refused",
        arguments: [
            ("a=b", .stored), ("__Host-a=b; Path=/; Secure", .stored), ("__Secure-a=b; Secure", .stored),
            ("__Host-a=b; Path=/; secure; max-age=1", .stored), ("a=; Max-Age=0", .removed),
            ("a=b; Max-Age=-1", .removed), ("a=b; Max-Age=0; Max-Age=5", .stored), ("a=b; Max-Age=x", .stored),
            ("=b", .refused), ("__Host-a=b; Path=/", .refused), ("__Host-a=b; Secure", .refused),
            ("__Host-a=b; Path=/api; Secure", .refused), ("__Host-a=b; Path=/; Secure; Domain=localhost", .refused),
            ("__host-a=b; Path=/", .refused), ("__Secure-a=b", .refused), ("a=b; SameSite=None", .refused),
            ("a=b; SameSite=None; Secure", .stored),
        ] as [(String, ReceivedCookie.Effect)])
    func effect(header: String, effect: ReceivedCookie.Effect) {
        let cookie = ReceivedCookie(header)
        #expect(cookie.effect == effect)
        #expect((cookie.fault == nil) == (effect != .refused))
    }
}
