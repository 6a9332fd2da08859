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
        let body = LinkByCode(codeId: sent.id, code: code.asTypedCode, replace: replacing ? true : nil)
        return try await link(try? JSONEncoder().encode(body), sent.to.provider, onTaken: onTaken, codeOrigin: .message)
    }

    /// Gives the user the phone number for which one-tap sign-in has given this token. As ``link(code:for:onTaken:replacing:)``;
    /// the token as in ``signIn(numberToken:gateway:nickname:)``.
    @discardableResult
    public func bindPhone(
        numberToken: String, gateway: String, onTaken: TakenAddress = .refuse, replacing: Bool = false
    ) async throws(GatehouseError) -> LinkResult {
        let body = LinkByNumber(gateway: gateway, token: numberToken, replace: replacing ? true : nil)
        return try await link(
            try? JSONEncoder().encode(body), .phone, at: "/accounts/number", onTaken: onTaken, codeOrigin: .carrier)
    }

    /// - Parameter path: nil for the path of the provider.
    func link(
        _ body: Data?, _ provider: Provider, at path: String? = nil, onTaken: TakenAddress, codeOrigin: CodeOrigin?
    ) async throws(GatehouseError) -> LinkResult {
        let session = try presentSession()
        let path = path ?? Self.path(of: provider)
        let linking = Task { await self.link(body, provider, at: path, onTaken, codeOrigin, in: session) }
        let (results, continuation) = AsyncStream.makeStream(of: Result<LinkResult, GatehouseError>.self)
        Task { continuation.yield(await linking.value) }
        // Ends without a result if this task is cancelled.
        for await result in results { return try result.get() }
        throw .cancelled
    }

    private func link(
        _ body: Data?, _ provider: Provider, at path: String, _ onTaken: TakenAddress, _ codeOrigin: CodeOrigin?,
        in session: StoredSession
    ) async -> Result<LinkResult, GatehouseError> {
        var body = body
        if onTaken == .join { await deliverLogoutsEverywhere() }
        // The session of a joining is bound to the present key, as a login's to its own.
        pendingLogins += 1
        loginsUnderWay += 1
        defer {
            pendingLogins -= 1
            endLogin()
        }
        do throws(GatehouseError) {
            // The current one: the server joins nobody by an access token alone, which may be stolen.
            if onTaken == .join {
                body = joining(body, holding: try await currentSession(validFor: .seconds(60)).tokens.refreshToken)
            }
            // Also without a code: after a join whose answer was lost, the session has ended.
            let data = try await call("POST", path, body: body, of: session.login, isSentOnce: true).0
            switch try Connection.decode(LinkAnswer.self, from: data) {
            case .accounts(let accounts):
                await renewAfterLinking(session, changesToken: provider == .phone || session.user.isGuest)
                return .success(.linked(accounts))
            case .login(let answer): return .success(.joined(try await join(answer, provider, in: session)))
            }
        } catch {
            // The answer of an earlier refresh was lost: the next try refreshes first.
            if case .refused(let problem) = error, problem.code == .invalidRefreshToken, let present = cache.session {
                cache.expire(present.tokens.accessToken)
            }
            return .failure(codeOrigin.map(error.afterUsedCode) ?? error)
        }
    }

    private func joining(_ body: Data?, holding token: Token) -> Data? {
        guard let body, var members = (try? JSONSerialization.jsonObject(with: body)) as? [String: Any] else {
            return body
        }
        (members["onTaken"], members["refreshToken"]) = (TakenAddress.join.rawValue, token.text)
        return try? JSONSerialization.data(withJSONObject: members)
    }

    /// The access token may say that its user has no number or is a guest, and the stored user has neither the number nor the
    /// address. If this fails, the next request refreshes.
    func renewAfterLinking(_ session: StoredSession, changesToken: Bool = true) async {
        guard let present = cache.session, present.login == session.login else { return }
        if changesToken { cache.expire(present.tokens.accessToken) }
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

private struct LinkByCode: Encodable {
    let codeId: String
    let code: String
    let replace: Bool?
}

private struct LinkByNumber: Encodable {
    let gateway: String
    let token: String
    let replace: Bool?
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

/// What becomes of a phone number, a mail address or another account that belongs to another user.
public enum TakenAddress: String, Encodable, Hashable, Sendable {
    /// The server refuses it: ``ProblemCode/accountAlreadyLinked`` with ``ProblemReason/identity``.
    case refuse
    /// If the present user is new, without another session, their accounts move to the other user, who is then signed in. A guest
    /// joins the other user at any time; only a guest does by another account than a number or an address.
    case join
}

/// The result of linking a phone number, a mail address or, of a guest, another account.
public enum LinkResult: Hashable, Sendable {
    /// It is the user's now. These are all accounts of the user.
    case linked([LinkedAccount])
    /// It was another user's, who is signed in now and can sign in with the accounts of both.
    case joined(Session)
}
