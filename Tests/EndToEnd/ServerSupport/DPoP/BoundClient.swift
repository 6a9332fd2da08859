import Foundation
import JSON
import Testing

/// A client with a key, and the tokens of a session that is bound to it.
struct BoundClient: Sendable {
    let server: any TestServer
    let key: String
    /// The last tokens.
    var tokens: TestResponse

    /// Logs in with the development secret.
    init(at server: any TestServer, _ email: String, key type: String = "P-256") throws {
        self.server = server
        key = "\(UUID()):\(type)"
        tokens = try server.send(.devLogin(email).proven(by: key, at: server))
        #expect(tokens["tokenType"]?.string == "DPoP", "\(tokens.json)")
    }

    /// Refreshes with this token, or the current one.
    func refreshed(_ token: String? = nil, at other: (any TestServer)? = nil) throws -> TestResponse {
        let server = other ?? server
        return try server.send(.refresh(token ?? tokens.refreshToken).proven(by: key, at: server))
    }

    /// Refreshes and keeps the new tokens.
    mutating func refresh(at other: (any TestServer)? = nil) throws {
        let answer = try refreshed(at: other)
        #expect(answer.status == 200 && answer["tokenType"]?.string == "DPoP", "\(answer.json)")
        tokens = answer
    }

    /// Sends a request that has the session's access token, if any, with a proof for it.
    func send(
        _ request: TestRequest, scheme: String = "DPoP", _ change: (inout ProofOrder) -> Void = { _ in }
    ) throws -> TestResponse {
        try server.send(request.proven(by: key, at: server, scheme: scheme, change))
    }

    /// Whether the session goes on: reads need no proof here.
    var isSignedIn: Bool {
        get throws { try server.me(tokens.accessToken).status == 200 }
    }
}

extension TestServer {
    /// The origin that clients use.
    var origin: String { (self as? ServerBehindNginx).map { "https://localhost:\($0.port)" } ?? TestRequest.origin }
}

extension TestRequest {
    static func devLogin(_ email: String) -> TestRequest {
        post("/api/auth/dev-login", ["email": .string(email), "devSecret": .string(InProcessServer.devSecret)])
    }

    static func patchUser(_ nickname: String, bearer: String) -> TestRequest {
        var request = post("/api/users/me", ["nickname": .string(nickname)], bearer: bearer)
        request.method = "PATCH"
        return request
    }

    /// The request with a proof for it. The proof has the hash of the access token, if the request has one, and that is
    /// sent with this scheme.
    func proven(
        by key: String, at server: any TestServer, scheme: String = "DPoP",
        _ change: (inout ProofOrder) -> Void = { _ in }
    ) throws -> TestRequest {
        var (request, order) = (self, ProofOrder(key, method, server.origin + path.prefix { $0 != "?" }))
        if let index = headers.firstIndex(where: { $0.name == "Authorization" }) {
            let token = headers[index].value.split(separator: " ").last ?? ""
            order.token = String(token)
            request.headers[index].value = "\(scheme) \(token)"
        }
        change(&order)
        request.headers.append(("DPoP", try ProofMaker.shared.get().make(order).text))
        return request.sentAgain
    }

    /// The same bytes as another request: nginx gives each its own id.
    var sentAgain: TestRequest {
        var request = self
        request.id = UUID().uuidString
        return request
    }

    var withoutProof: TestRequest {
        var request = self
        request.headers.removeAll { $0.name == "DPoP" }
        return request
    }
}

/// Expects the refusal of a proof for this reason.
func expectRefusedProof(
    _ response: TestResponse, _ reason: String, _ comment: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let comment = Comment(rawValue: "\(comment): \(response.status) \(response.json)")
    #expect(response.status == 401 && response.code == "invalid_dpop_proof", comment, sourceLocation: sourceLocation)
    #expect(response["reason"]?.string == reason, comment, sourceLocation: sourceLocation)
    let error = reason == "nonce" ? "use_dpop_nonce" : "invalid_dpop_proof"
    let challenge = response.header("www-authenticate") ?? ""
    #expect(challenge.hasPrefix("DPoP error=\"\(error)\""), comment, sourceLocation: sourceLocation)
    #expect(challenge.contains(#"algs="ES256 EdDSA""#), comment, sourceLocation: sourceLocation)
}
