import Gatehouse
import GatehouseServer
import IdentityProviders
import Testing

@Suite("Settings for browsers")
struct WebSettingsTests {
    private static let origin = "https://api.example.com"

    private func faults(_ changes: [String: String?]) -> [String] {
        TestConfiguration.faults(["PUBLIC_URL": Self.origin].merging(changes) { $1 }).map(\.description)
    }

    private func web(_ changes: [String: String?]) throws -> WebPolicy {
        try TestConfiguration.read(changes).policy.web
    }

    @Test("without them, no browser signs in and no other origin calls the API")
    func none() throws {
        #expect(try web([:]) == WebPolicy())
        #expect(try TestConfiguration.read().appleWebClient == nil)
    }

    @Test("addresses and origins are lists, and origins have the form in which browsers send them")
    func lists() throws {
        let policy = try web([
            "PUBLIC_URL": Self.origin, "REDIRECT_URIS": "https://a.example/done?x=1, com.example.app:/login",
            "CORS_ORIGINS": "https://App.example:443/, https://b.example:8443",
        ])
        #expect(policy.redirectURIs.map(\.text) == ["https://a.example/done?x=1", "com.example.app:/login"])
        #expect(policy.corsOrigins == ["https://app.example", "https://b.example:8443"])
    }

    @Test(
        "the origin is that of PUBLIC_URL, else of TOKEN_ISSUER, and only an https origin is an issuer",
        arguments: [
            (origin, "gatehouse", origin, nil),
            (origin, "https://login.example.com/", origin, "https://login.example.com/"),
            ("off", "https://login.example.com/", "https://login.example.com", "https://login.example.com/"),
            (nil, "https://login.example.com", "https://login.example.com", "https://login.example.com"),
            ("off", "https://login.example.com/path", nil, nil), (nil, "http://login.example.com", nil, nil),
        ] as [(String?, String, String?, String?)])
    func origins(url: String?, issuer: String, origin: String?, published: String?) throws {
        let settings = ["PUBLIC_URL": url, "TOKEN_ISSUER": issuer]
        let policy = try web(settings)
        #expect(policy.origin == origin && policy.issuer == published)
        // Proofs must be about it, too. Where the operator does not say where clients come to, an issuer need not be there.
        let proofs = try TestConfiguration.read(settings).policy.dpop
        #expect(proofs.origin == (url == nil ? nil : origin.flatMap(ProofURL.Origin.init)))
        let faults = TestConfiguration.faults(settings.merging(["REDIRECT_URIS": "https://a.example/"]) { $1 })
        #expect(faults.map(\.name) == (origin == nil ? ["REDIRECT_URIS"] : []))
    }

    static let faulty: [(name: String, value: String, fault: String)] = [
        ("REDIRECT_URIS", "myapp:/login", "has a scheme without a dot"),
        ("REDIRECT_URIS", "https://a.example/, myapp:/login", "entry 2 has a scheme without a dot"),
        ("REDIRECT_URIS", "javascript:alert(1)", "has a scheme that belongs to no app"),
        ("REDIRECT_URIS", "https://a.example/#done", "has a fragment"),
        ("REDIRECT_URIS", "https://*.a.example/", "has a *"),
        ("REDIRECT_URIS", "https://user@a.example/", "has a user name"),
        ("REDIRECT_URIS", "http://a.example/", "has http to another host"),
        ("REDIRECT_URIS", "http://localhost:3000/", "has http to another host"),
        ("REDIRECT_URIS", "https://a.example/,", "entry 2 must be one of"),
        ("REDIRECT_URIS", "a.example/done", "must be one of"), ("CORS_ORIGINS", "*", "has a *"),
        ("CORS_ORIGINS", "https://*.example", "has a *"), ("CORS_ORIGINS", "null", "must be an https origin"),
        ("CORS_ORIGINS", "https://a.example/x", "must be an https"),
        ("CORS_ORIGINS", "https://a.example,", "entry 2 must be an https origin"),
        ("CORS_ORIGINS", "http://a.example", "must be an https origin"),
        ("CORS_ORIGINS", "http://localhost:3000", "has http: http://localhost needs APP_ENV=development"),
        ("APPLE_CLIENT_ID", "com.example web", "must be up to 256 printable"),
        ("APPLE_AUTHORIZATION_URL", "http://apple.example/", "must be an https URL"),
        ("APPLE_AUTHORIZATION_URL", "https://apple.example/#x", "must be an https URL"),
    ]

    @Test("a wrong one is named with what is wrong, without its value", arguments: faulty)
    func fault(_ name: String, _ value: String, _ fault: String) {
        let faults = faults([name: value])
        #expect(faults.count == 1 && faults[0].hasPrefix("\(name) \(fault)"), "\(faults)")
        if !["*", "null"].contains(value) { #expect(!faults.joined().contains(value)) }
    }

    @Test("a faulty PUBLIC_URL is one fault")
    func publicURL() {
        #expect(faults(["PUBLIC_URL": "x", "REDIRECT_URIS": "https://a.example/"]).count == 1)
    }

    @Test("localhost is permitted in development")
    func development() throws {
        let policy = try web([
            "APP_ENV": "development", "PUBLIC_URL": Self.origin, "REDIRECT_URIS": "http://localhost:3000/done",
            "CORS_ORIGINS": "http://localhost:3000,http://localhost:80",
        ])
        #expect(policy.redirectURIs.map(\.text) == ["http://localhost:3000/done"])
        #expect(policy.corsOrigins == ["http://localhost:3000", "http://localhost"])
    }

    @Test("Apple's client has Apple's page and the callback of this server")
    func apple() throws {
        let settings = ["PUBLIC_URL": Self.origin, "APPLE_CLIENT_ID": "com.example.web"]
        #expect(
            try TestConfiguration.read(settings).appleWebClient
                == AppleWebClient(
                    id: "com.example.web", pageURL: "https://appleid.apple.com/auth/authorize",
                    callback: "https://api.example.com/api/auth/apple/callback"))
    }

    @Test("a client that no browser can use, and addresses that no client can use, are warnings")
    func unused() throws {
        let fixture = try FolderFixture(["google.conf": FolderFixture.google + "CLIENT_ID=c\nCLIENT_SECRET=Xsecret"]
        )
        let apple = ["APPLE_CLIENT_ID": "com.example.web"]
        #expect(
            try fixture.configuration(apple).warnings == [
                "REDIRECT_URIS is not set: no browser can sign in with APPLE_CLIENT_ID, CLIENT_ID of google.conf"
            ])
        let web = ["PUBLIC_URL": Self.origin, "REDIRECT_URIS": "https://a.example/"]
        #expect(try fixture.configuration(web).warnings.isEmpty)
        #expect(try TestConfiguration.read(web.merging(apple) { $1 }).warnings.isEmpty)
        let warnings = try TestConfiguration.read(web).warnings
        #expect(warnings.count == 1 && warnings[0].hasPrefix("REDIRECT_URIS is set, and neither"), "\(warnings)")
    }
}
