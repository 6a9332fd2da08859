import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Answers from a table instead of a server, for tests and previews of an app.
///
/// ```swift
/// let transport = CannedTransport(user: User(id: "user_1", nickname: "Ann"))
/// transport["GET /notes"] = .json("[]")
/// transport["POST /api/auth/refresh"] = .noAnswer(.notConnectedToInternet)
/// ```
public final class CannedTransport: HTTPTransport {
    public enum Answer: Sendable {
        case answer(status: Int, headers: [String: String] = [:], body: Data = Data())
        /// The request fails without an answer.
        case noAnswer(URLError.Code)

        public static func json(_ text: String, status: Int = 200) -> Answer {
            .answer(status: status, headers: ["Content-Type": "application/json"], body: Data(text.utf8))
        }

        /// A refusal of the server's, such as `.problem(.refreshTokenRevoked, status: 401)`.
        public static func problem(_ code: ProblemCode, status: Int, detail: String = "") -> Answer {
            struct Document: Encodable { let status: Int, code: String, detail: String }
            return .encoding(Document(status: status, code: code.description, detail: detail), status: status)
        }

        fileprivate static func encoding(_ value: some Encodable, status: Int = 200) -> Answer {
            .json((try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "", status: status)
        }
    }

    private struct State {
        var answers: [String: Answer]
        var requests: [URLRequest] = []
    }

    private let state: Locked<State>

    /// - Parameters:
    ///   - user: the user of every login, also in a browser. With a user, these succeed: a login, a challenge, a code
    ///     (with the id `code`), a refresh, a logout, and requests for the profile. Binding a number succeeds as well,
    ///     and changes nothing.
    ///   - answers: by method and path, such as `GET /notes`, whatever the query. They replace those for the user.
    ///     Without an answer, a request gets 404 `not_found`.
    public init(user: User? = nil, _ answers: [String: Answer] = [:]) {
        state = Locked(State(answers: Self.answers(for: user).merging(answers) { $1 }))
    }

    /// The answer to the requests with this method and path, from now on.
    public subscript(_ request: String) -> Answer? {
        get { state.withLock { $0.answers[request] } }
        set { state.withLock { $0.answers[request] = newValue } }
    }

    /// What the app and the client have sent, in order.
    public var requests: [URLRequest] { state.withLock { $0.requests } }

    public func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let name = "\(request.httpMethod ?? "GET") \(request.url?.path(percentEncoded: true) ?? "")"
        let answer = state.withLock { state in
            state.requests.append(request)
            return state.answers[name] ?? .problem(.notFound, status: 404, detail: "No answer to \(name) is given.")
        }
        switch answer {
        case .noAnswer(let code): throw URLError(code)
        case .answer(let status, let headers, let body):
            let response = request.url.flatMap {
                HTTPURLResponse(url: $0, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)
            }
            guard let response else { throw URLError(.badURL) }
            return (body, response)
        }
    }

    private static func answers(for user: User?) -> [String: Answer] {
        guard let user else { return [:] }
        struct Login: Encodable {
            var accessToken = "access", refreshToken = "refresh", tokenType = "Bearer", expiresIn = 900
            var isNewUser = false
            let user: User
        }
        let login = Answer.encoding(Login(user: user))
        let profile = Answer.encoding(user)
        let done = Answer.answer(status: 204)
        return [
            "POST /api/auth/apple/challenge": .json(#"{"nonce":"nonce","expiresIn":600}"#),
            "POST /api/auth/codes": .json(#"{"codeId":"code","expiresIn":600,"resendAfter":60}"#, status: 202),
            "POST /api/auth/number": login, "POST /api/users/me/accounts/number": .json(#"{"accounts":[]}"#),
            "POST /api/auth/codes/code": login, "POST /api/users/me/accounts/phone": .json(#"{"accounts":[]}"#),
            "POST /api/auth/apple": login, "POST /api/auth/identity": login, "POST /api/auth/dev-login": login,
            "POST /api/auth/exchange": login, "POST /api/auth/refresh": login,
            "POST /api/auth/logout": done, "POST /api/auth/logout-all": done, "GET /api/users/me": profile,
            "PATCH /api/users/me": profile, "DELETE /api/users/me": done,
        ]
    }
}
