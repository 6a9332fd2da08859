import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension GatehouseClient {
    /// Sends a request of the user, with the access token, to the server's origin or to a trusted one.
    ///
    /// Another origin is ``GatehouseError/untrustedOrigin(_:)``, and nothing is sent.
    ///
    /// If the answer is 401, the token is refreshed once, unless it was replaced after the request was sent, and the
    /// request is sent again. A second 401 is returned, and so is the first one where the body is a stream, which
    /// cannot be sent twice.
    ///
    /// If the answer is 403 `user_disabled`, a refresh shows whether the server has disabled the user, which signs out.
    /// If it is 403 `phone_required` (``ProblemCode/phoneRequired``), the token is refreshed once and the request sent
    /// again, because the user may have bound a number on another device since. Any other 403 is returned and changes
    /// nothing.
    public func send(_ request: URLRequest) async throws(GatehouseError) -> (Data, HTTPURLResponse) {
        try await send(request, of: nil, isSentOnce: false, connection.send)
    }

    /// - Parameters:
    ///   - login: the login that the request belongs to; nothing is sent if it is not the present one. Nil means the
    ///     present one.
    ///   - isSentOnce: whether the request holds a code. It is sent again only where the server itself has refused the
    ///     access token or the proof, which it looks at before it uses the code.
    private func send(
        _ request: URLRequest, of login: UUID?, isSentOnce: Bool, _ sending: Connection.Sending
    ) async throws(GatehouseError) -> (Data, HTTPURLResponse) {
        try connection.requireTrust(in: request.url)
        let session = try await currentSession(validFor: .seconds(5))
        guard login == nil || login == session.login else { throw .superseded }
        let first = try await proved(request, session, sending)
        if first.1.statusCode == 403 {
            try await endIfDisabled(session, first)
            return try await retryIfNumberIsBound(request, session, first, sending) ?? first
        }
        if let refusal = ProofRefusal(first) {
            if refusal.reason == .key { try await endIfKeyIsRefused(session) }
            return first
        }
        guard first.1.statusCode == 401, helpsAgainst(first, session.tokens.accessToken, isSentOnce) else {
            return first
        }
        cache.expire(session.tokens.accessToken)
        guard request.httpBodyStream == nil else { return first }
        let renewed = try await currentSession(validFor: .zero)
        guard renewed.login == session.login else { throw .superseded }
        let second = try await proved(request, renewed, sending)
        if second.1.statusCode == 401 { refusedAfterRefresh = renewed.tokens.accessToken }
        return second
    }

    private func proved(
        _ request: URLRequest, _ session: StoredSession, _ sending: Connection.Sending
    ) async throws(GatehouseError) -> (Data, HTTPURLResponse) {
        do {
            return try await connection.send(request, as: session.credentials, sending)
        } catch {
            throw error.isOfLostKey(session.key) ? loseKey(of: session) : error
        }
    }

    /// Only the server's refusal of a refresh ends a session, because a service may have this reason of its own.
    private func endIfKeyIsRefused(_ session: StoredSession) async throws(GatehouseError) {
        guard session.login == cache.session?.login, session.login != loginOfRefusedKey else { return }
        loginOfRefusedKey = session.login
        cache.expire(session.tokens.accessToken)
        do {
            _ = try await currentSession(validFor: .zero)
        } catch {
            if case .signedOut = error { throw error }
        }
    }

    /// Whether a refresh may help against this 401. A service behind the guard may answer 401 for reasons of its own,
    /// each time, and must not cause a refresh each time.
    private func helpsAgainst(_ answer: (Data, HTTPURLResponse), _ token: Token, _ isSentOnce: Bool) -> Bool {
        switch Problem(answer)?.code {
        case .loginTooOld, .insufficientAuthentication: false
        case .accessTokenExpired, .invalidAccessToken, .sessionRevoked: true
        default: !isSentOnce && token != refusedAfterRefresh
        }
    }

    /// Only the server's refusal of a refresh ends a session, because a service may have this code of its own.
    private func endIfDisabled(
        _ session: StoredSession, _ answer: (Data, HTTPURLResponse)
    ) async throws(GatehouseError) {
        let token = session.tokens.accessToken
        guard Problem(answer)?.code == .userDisabled, token != refusedAfterRefresh,
            token == cache.session?.tokens.accessToken
        else { return }
        cache.expire(token)
        do {
            refusedAfterRefresh = try await currentSession(validFor: .zero).tokens.accessToken
        } catch {
            if case .signedOut = error { throw error }
        }
    }

    /// A token says until its end that its user has no number. The server and its guard refuse it before the request has
    /// an effect.
    ///
    /// - Returns: nil if the request was not sent again.
    private func retryIfNumberIsBound(
        _ request: URLRequest, _ session: StoredSession, _ answer: (Data, HTTPURLResponse),
        _ sending: Connection.Sending
    ) async throws(GatehouseError) -> (Data, HTTPURLResponse)? {
        let token = session.tokens.accessToken
        guard Problem(answer)?.code == .phoneRequired, token != refusedAfterRefresh, request.httpBodyStream == nil
        else { return nil }
        cache.expire(token)
        let renewed: StoredSession
        do { renewed = try await currentSession(validFor: .zero) } catch {
            if case .signedOut = error { throw error }
            return nil
        }
        guard renewed.login == session.login else { return nil }
        let second = try await proved(request, renewed, sending)
        if second.1.statusCode == 403 { refusedAfterRefresh = renewed.tokens.accessToken }
        return second
    }

    /// - Returns: the body of a success.
    func call(
        _ method: String, _ path: String, body: Data? = nil, of login: UUID? = nil, isSentOnce: Bool = false
    ) async throws(GatehouseError) -> (Data, HTTPURLResponse) {
        let request = connection.request(method, "users/me" + path, body: body)
        let (data, response) = try await send(
            request, of: login, isSentOnce: isSentOnce, connection.sendWithDeadline)
        return (try Connection.success(data, response, method == "DELETE" ? 204 : 200), response)
    }

    func call<Answer: Decodable>(
        _ type: Answer.Type, _ method: String, _ path: String, body: Data? = nil, isSentOnce: Bool = false
    ) async throws(GatehouseError) -> Answer {
        let (data, response) = try await call(method, path, body: body, isSentOnce: isSentOnce)
        return try Connection.decode(type, from: data, status: response.statusCode)
    }
}

extension Problem {
    /// The problem that an answer of ``GatehouseClient/send(_:)`` describes, such as ``ProblemCode/phoneRequired`` of the
    /// guard. Nil for any other answer.
    public init?(_ answer: (Data, HTTPURLResponse)) {
        self.init(answer.0, status: answer.1.statusCode, retryAfter: Connection.retryAfter(answer.1))
    }
}
