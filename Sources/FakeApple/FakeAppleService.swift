import JSON
package import POSIX

/// What the fake Apple answers over HTTP: its key set, and freshly minted logins.
package struct FakeAppleService: Sendable {
    private let mint: Mint
    private let keySet: [UInt8]
    private let audience: String

    package init(key: AppleKey, audience: String) {
        mint = Mint(key: key.signing)
        keySet = KeySetDocument.bytes(of: key.signing)
        self.audience = audience
    }

    package func server(on listener: consuming Listener) -> HTTPServer {
        HTTPServer(listener, answer: answer)
    }

    func answer(_ request: HTTPRequest) -> HTTPReply {
        switch (request.method, request.path) {
        case ("GET", "/auth/keys"): .ok(keySet)
        case ("GET", "/mint"): .ok(mint.login(MintOrder(audience: audience), now: now).bytes)
        case ("POST", "/mint"): minted(request.body)
        default: .refusal("404 Not Found", "GET /auth/keys, GET /mint, POST /mint")
        }
    }

    private func minted(_ body: [UInt8]) -> HTTPReply {
        guard let object = (try? JSONValue(parsing: body))?.object else {
            return .refusal("400 Bad Request", "the body must be a JSON object")
        }
        do {
            return .ok(mint.login(try MintOrder(object, audience: audience), now: now).bytes)
        } catch {
            return .refusal("400 Bad Request", error.description)
        }
    }

    private var now: Int64 { WallClock.millisecondsSince1970() / 1000 }
}
