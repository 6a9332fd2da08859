import Foundation
import FoundationNetworking
import GatehouseClient
import JOSE
import JSON
import OpenSSL
import Synchronization

/// Answers as a server that binds sessions does, and as a test has planned. It verifies each proof with the server's own
/// code for tokens.
final class BoundServer: HTTPTransport {
    struct Seen: Sendable {
        let method: String
        let path: String
        let authorization: String?
        let proof: SeenProof?
        /// The members of its body that are texts or Booleans, as text.
        let body: [String: String]?
    }

    /// A proof with the right form and signature.
    struct SeenProof: Sendable, Equatable {
        /// The thumbprint of its key.
        let key: String
        let claims: JSONObject

        subscript(_ claim: String) -> String? { claims[claim]?.string }
        var issuedAt: Int64? { claims["iat"]?.integer }
    }

    enum Plan: Sendable {
        case answer(Int, headers: [String: String] = [:], body: String = "", url: URL? = nil)
        case loseRequest
        /// The server carries out the request, and its answer is lost.
        case loseAnswer
        /// The server carries out the request, and its answer waits at the gate.
        case hold(Gate)
        /// The answer waits at the gate.
        indirect case answerAfter(Gate, Plan)

        static func refuse(_ reason: String, headers: [String: String] = [:]) -> Plan {
            .answer(
                401, headers: headers,
                body: """
                    {"type":"about:blank","title":"","status":401,"detail":"","code":"invalid_dpop_proof",
                    "reason":"\(reason)","requestId":"r"}
                    """)
        }
    }

    private struct State {
        var plans: [(path: String, plan: Plan)] = []
        var seen: [Seen] = []
        var faults: [String] = []
        var answers = 0
        var isOffline = false
        var bindsSessions = true
    }

    private let state = Mutex(State())

    /// The next requests to this path get these answers, one each.
    func plan(_ path: String, _ plans: Plan...) { state.withLock { $0.plans += plans.map { (path, $0) } } }

    func setOffline(_ isOffline: Bool) { state.withLock { $0.isOffline = isOffline } }

    /// A server of an earlier version looks at no proof.
    func setOld() { state.withLock { $0.bindsSessions = false } }

    /// What the client sent to a path, by its end.
    func seen(_ path: String = "") -> [Seen] { state.withLock { $0.seen.filter { $0.path.hasSuffix(path) } } }

    /// What was wrong in proofs, whatever was answered.
    var faults: [String] { state.withLock { $0.faults } }

    func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let path = request.url?.path ?? ""
        let (plan, bindsSessions) = state.withLock { state in
            let proof = Self.proof(of: request, &state.faults)
            if let proof, state.seen.contains(where: { $0.proof?["jti"] == proof["jti"] }) {
                state.faults.append("\(path): a proof was sent twice")
            }
            state.seen.append(
                Seen(
                    method: request.httpMethod ?? "GET", path: path,
                    authorization: request.value(forHTTPHeaderField: "Authorization"), proof: proof,
                    body: request.httpBody.flatMap(Self.members)))
            if state.isOffline { return (Plan?.some(.loseRequest), state.bindsSessions) }
            let next = state.plans.firstIndex { path.hasSuffix($0.path) }
            return (next.map { state.plans.remove(at: $0).plan }, state.bindsSessions)
        }
        return try await answer(to: request, plan, bindsSessions)
    }

    private func answer(
        to request: URLRequest, _ plan: Plan?, _ bindsSessions: Bool
    ) async throws -> (Data, HTTPURLResponse) {
        switch plan {
        case .answer(let status, let headers, let body, let url):
            return Self.answer(url ?? request.url!, status, headers, body)
        case .loseRequest: throw URLError(.notConnectedToInternet)
        case .loseAnswer: throw URLError(.networkConnectionLost)
        case .hold(let gate):
            await gate.pass()
            return carryOut(request, bindsSessions)
        case .answerAfter(let gate, let plan):
            await gate.pass()
            return try await answer(to: request, plan, bindsSessions)
        case nil: return carryOut(request, bindsSessions)
        }
    }

    private static func members(of body: Data) -> [String: String]? {
        struct Member: Decodable {
            let text: String

            init(from decoder: any Decoder) throws {
                let value = try decoder.singleValueContainer()
                text = try (try? value.decode(Bool.self)).map(String.init) ?? value.decode(String.self)
            }
        }
        return try? JSONDecoder().decode([String: Member].self, from: body).mapValues(\.text)
    }

    static let user = """
        {"id":"user_1","email":null,"emailVerified":false,"nickname":null,"avatarUrl":null,"role":"USER",
        "status":"ACTIVE","onboardingCompleted":true}
        """

    private func carryOut(_ request: URLRequest, _ bindsSessions: Bool) -> (Data, HTTPURLResponse) {
        let number = state.withLock { state in
            state.answers += 1
            return state.answers
        }
        let type = bindsSessions && request.value(forHTTPHeaderField: "DPoP") != nil ? "DPoP" : "Bearer"
        let tokens = """
            {"accessToken":"access\(number)","refreshToken":"refresh\(number)","tokenType":"\(type)","expiresIn":900,
            "isNewUser":false,"user":\(Self.user)}
            """
        let code = #"{"codeId":"code_\#(number)","expiresIn":600,"resendAfter":60}"#
        return switch request.url?.lastPathComponent {
        case "dev-login", "identity", "apple", "exchange", "refresh": Self.answer(request.url!, 200, [:], tokens)
        case "codes": Self.answer(request.url!, 202, [:], code)
        case let id? where id.hasPrefix("code_"): Self.answer(request.url!, 200, [:], tokens)
        case "number" where request.url!.path.hasPrefix("/api/auth/"): Self.answer(request.url!, 200, [:], tokens)
        case "phone", "email", "number": Self.answer(request.url!, 200, [:], #"{"accounts":[]}"#)
        case "logout", "logout-all": Self.answer(request.url!, 204, [:], "")
        default: Self.answer(request.url!, 200, [:], Self.user)
        }
    }

    private static func answer(
        _ url: URL, _ status: Int, _ headers: [String: String], _ body: String
    ) -> (Data, HTTPURLResponse) {
        let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)!
        return (Data(body.utf8), response)
    }

    // MARK: Proofs

    private static func proof(of request: URLRequest, _ faults: inout [String]) -> SeenProof? {
        guard let text = request.value(forHTTPHeaderField: "DPoP") else { return nil }
        do {
            let token = try CompactJWS(text)
            guard token.type == "dpop+jwt", let jwk = token.header["jwk"]?.object else {
                faults.append("the header is \(token.header)")
                return nil
            }
            try token.verify(with: VerificationKey(jwk: jwk))
            let proof = SeenProof(key: try JWKThumbprint.compute(of: jwk), claims: try token.claims())
            faults += self.faults(in: proof, request)
            return proof
        } catch {
            faults.append("\(error)")
            return nil
        }
    }

    private static func faults(in proof: SeenProof, _ request: URLRequest) -> [String] {
        let scheme = "DPoP "
        let token = request.value(forHTTPHeaderField: "Authorization").map { text in
            text.hasPrefix(scheme) ? String(text.dropFirst(scheme.count)) : "not the scheme DPoP"
        }
        let target = request.url?.absoluteString.prefix { $0 != "?" && $0 != "#" }
        let checks = [
            ("htm", proof["htm"] == request.httpMethod), ("htu", proof["htu"] == target.map(String.init)),
            ("ath", proof["ath"] == token.map { Base64URL.encode(SHA256.hash(Array($0.utf8))) }),
            ("iat", proof.issuedAt != nil), ("jti", (1...256).contains(proof["jti"]?.utf8.count ?? 0)),
        ]
        return checks.filter { !$0.1 }.map { "\(request.url?.path ?? ""): \($0.0) in \(proof.claims)" }
    }
}
