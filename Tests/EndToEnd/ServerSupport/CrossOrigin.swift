import Testing

/// Requests of pages of other origins, and what lets a browser show the answer to such a page.
enum CrossOrigin {
    static let allowed = "https://app.example.com"
    static let setting = [
        "CORS_ORIGINS": "\(allowed),https://app.example.org:8443,http://localhost:3000"
    ]
    static let refused: [String?] = [
        "https://app.example.com.evil.example", "http://app.example.com", "https://app.example.com:8443",
        "https://APP.example.com", "https://xapp.example.com", "https://app-example.com", "null", "*", nil,
    ]

    static func preflight(_ path: String, from origin: String? = allowed, method: String = "PUT") -> TestRequest {
        var request = TestRequest(method: "OPTIONS", path: path).from(origin)
        request.headers.append(("Access-Control-Request-Method", method))
        request.headers.append(("Access-Control-Request-Headers", "authorization"))
        return request
    }
}

extension TestRequest {
    func from(_ origin: String?) -> TestRequest {
        var request = self
        if let origin { request.headers.append(("Origin", origin)) }
        return request
    }
}

/// Expects that pages of this origin may read the answer, and that no header of it is sent twice.
func expectReadable(
    _ response: TestResponse, by origin: String = CrossOrigin.allowed,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    for (name, value) in [
        ("access-control-allow-origin", origin), ("access-control-allow-credentials", "true"), ("vary", "Origin"),
        ("access-control-expose-headers", "X-Request-Id, Retry-After, WWW-Authenticate, DPoP-Nonce"),
    ] {
        #expect(response.header(name) == value, "\(name)", sourceLocation: sourceLocation)
        #expect(response.count(ofHeader: name) == 1, "\(name)", sourceLocation: sourceLocation)
    }
}

/// Expects that no page of another origin may read the answer.
func expectUnreadable(_ response: TestResponse, sourceLocation: SourceLocation = #_sourceLocation) {
    let names = response.headers.map(\.name).filter { $0.hasPrefix("access-control-") }
    #expect(names == [], sourceLocation: sourceLocation)
}
