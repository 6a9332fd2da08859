import Foundation

extension GatehouseClient {
    /// Gives the user the phone number that the code was sent to, for a server that demands one
    /// (``ProblemCode/phoneRequired``). As ``link(code:for:onTaken:replacing:)``.
    @discardableResult
    public func bindPhone(
        code: String, for sent: SentCode, onTaken: TakenAddress = .refuse, replacing: Bool = false
    ) async throws(GatehouseError) -> LinkResult {
        try await link(code: code, for: sent, onTaken: onTaken, replacing: replacing)
    }

    /// Lets the user sign in by codes to the phone number or mail address that this code was sent to.
    ///
    /// The code is sent once, as by ``signIn(code:for:nickname:)``. Cancelling the task cancels only its wait, because the
    /// server may have joined two users: the session that it begins then is kept. Where the answer of a joining is lost, the
    /// present session may have ended, which shows with the next request; each account of the two then signs the user in.
    ///
    /// - Parameters:
    ///   - onTaken: what becomes of a number or address of another user.
    ///   - replacing: whether it takes the place of the user's present one, which needs a recent login.
    /// - Throws: ``GatehouseError/superseded`` if the user signs out or in again before two users were joined: the later
    ///   call counts.
    @discardableResult
    public func link(
        code: String, for sent: SentCode, onTaken: TakenAddress = .refuse, replacing: Bool = false
    ) async throws(GatehouseError) -> LinkResult {
        try await link(
            LinkBody(codeId: sent.id, code: code.asTypedCode, onTaken: onTaken, replacing: replacing),
            at: Self.path(of: sent.to.provider), as: sent.to.provider, from: .message)
    }

    /// Gives the user the phone number for which one-tap sign-in has given this token. As ``link(code:for:onTaken:replacing:)``;
    /// the token as in ``signIn(numberToken:gateway:nickname:)``.
    @discardableResult
    public func bindPhone(
        numberToken: String, gateway: String, onTaken: TakenAddress = .refuse, replacing: Bool = false
    ) async throws(GatehouseError) -> LinkResult {
        try await link(
            LinkBody(gateway: gateway, token: numberToken, onTaken: onTaken, replacing: replacing),
            at: "/accounts/number", as: .phone, from: .carrier)
    }

    private func link(
        _ body: LinkBody, at path: String, as provider: Provider, from origin: CodeOrigin
    ) async throws(GatehouseError) -> LinkResult {
        let session = try presentSession()
        let linking = Task { await self.link(body, at: path, as: provider, from: origin, in: session) }
        let (results, continuation) = AsyncStream.makeStream(of: Result<LinkResult, GatehouseError>.self)
        Task { continuation.yield(await linking.value) }
        // Ends without a result if this task is cancelled.
        for await result in results { return try result.get() }
        throw .cancelled
    }

    private func link(
        _ body: LinkBody, at path: String, as provider: Provider, from origin: CodeOrigin, in session: StoredSession
    ) async -> Result<LinkResult, GatehouseError> {
        var body = body
        if body.onTaken == .join { await deliverLogoutsEverywhere() }
        // The session of a joining is bound to the present key, as a login's to its own.
        pendingLogins += 1
        loginsUnderWay += 1
        defer {
            pendingLogins -= 1
            endLogin()
        }
        do throws(GatehouseError) {
            // The current one: the server joins nobody by an access token alone, which may be stolen.
            if body.onTaken == .join {
                body.refreshToken = try await currentSession(validFor: .seconds(60)).tokens.refreshToken.text
            }
            let data = try await call(
                "POST", path, body: try? JSONEncoder().encode(body), of: session.login, isSentOnce: true
            ).0
            switch try Connection.decode(LinkAnswer.self, from: data) {
            case .accounts(let accounts):
                await renewAfterBinding(session, isPhone: provider == .phone)
                return .success(.linked(accounts))
            case .login(let answer): return .success(.joined(try await join(answer, provider, in: session)))
            }
        } catch {
            // The answer of an earlier refresh was lost: the next try refreshes first.
            if case .refused(let problem) = error, problem.code == .invalidRefreshToken, let present = cache.session {
                cache.expire(present.tokens.accessToken)
            }
            return .failure(error.afterUsedCode(from: origin))
        }
    }

    /// The access token may say that its user has no number, and the stored user has neither the number nor the address. If
    /// this fails, the next request refreshes.
    private func renewAfterBinding(_ session: StoredSession, isPhone: Bool) async {
        guard let present = cache.session, present.login == session.login else { return }
        if isPhone { cache.expire(present.tokens.accessToken) }
        _ = try? await user()
    }

    /// Puts the session of the other user in the place of the present one.
    private func join(
        _ answer: LoginAnswer, _ provider: Provider, in session: StoredSession
    ) async throws(GatehouseError) -> Session {
        let joined = answer.session(at: clock.date(), key: session.key, by: provider)
        try? readStore()
        guard cache.session?.login == session.login else {
            await discard(joined)
            throw .superseded
        }
        return begin(joined, of: answer)
    }
}

private struct LinkBody: Encodable {
    // By a code, or by a token of one-tap sign-in.
    var codeId: String?
    var code: String?
    var gateway: String?
    var token: String?
    let onTaken: TakenAddress?
    let replace: Bool?
    var refreshToken: String?

    init(
        codeId: String? = nil, code: String? = nil, gateway: String? = nil, token: String? = nil, onTaken: TakenAddress,
        replacing: Bool
    ) {
        (self.codeId, self.code, self.gateway, self.token) = (codeId, code, gateway, token)
        (self.onTaken, replace) = (onTaken == .refuse ? nil : onTaken, replacing ? true : nil)
    }
}

/// The user's accounts or, where two users were joined, the answer of a login.
private enum LinkAnswer: Decodable {
    case accounts([LinkedAccount])
    case login(LoginAnswer)

    private enum CodingKeys: CodingKey { case accessToken }

    init(from decoder: any Decoder) throws {
        let isLogin = try decoder.container(keyedBy: CodingKeys.self).contains(.accessToken)
        self = isLogin ? .login(try LoginAnswer(from: decoder)) : .accounts(try AccountList(from: decoder).accounts)
    }
}

/// What becomes of a phone number or mail address that belongs to another user.
public enum TakenAddress: String, Encodable, Hashable, Sendable {
    /// The server refuses it: ``ProblemCode/accountAlreadyLinked`` with ``ProblemReason/identity``.
    case refuse
    /// If the present user is new, without another session, their accounts move to the other user, who is then signed in.
    case join
}

/// The result of linking a phone number or mail address.
public enum LinkResult: Hashable, Sendable {
    /// It is the user's now. These are all accounts of the user.
    case linked([LinkedAccount])
    /// It was another user's, who is signed in now and can sign in with the accounts of both.
    case joined(Session)
}
