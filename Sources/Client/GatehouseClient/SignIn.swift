import Foundation

extension GatehouseClient {
    /// A nonce for one login.
    public func challenge() async throws(GatehouseError) -> LoginChallenge {
        let data = try await repeatedly { () async throws(GatehouseError) -> Data in
            try await self.connection.post("auth/apple/challenge", nil as Token?)
        }
        let challenge = try Connection.decode(LoginChallenge.self, from: data)
        deliverLogoutsInBackground()
        return challenge
    }

    /// Signs in with what Apple gave to the app. A session that this replaces is ended at the server.
    ///
    /// - Throws: ``GatehouseError/superseded`` if the user signs out or in again before the answer arrives: the later
    ///   call counts.
    @discardableResult
    public func signIn(apple login: AppleLogin) async throws(GatehouseError) -> Session {
        try await signIn("auth/apple", login)
    }

    /// Signs in by email address, at a server in development.
    @discardableResult
    public func signIn(development login: DevelopmentLogin) async throws(GatehouseError) -> Session {
        try await signIn("auth/dev-login", login)
    }

    private func signIn(
        _ path: String, _ login: some Encodable & Sendable
    ) async throws(GatehouseError) -> Session {
        loginNumber += 1
        let loginNumber = loginNumber
        await deliverLogoutsEverywhere()
        pendingLogins += 1
        loginsUnderWay += 1
        defer {
            pendingLogins -= 1
            endLogin()
        }
        let key = await keyForLogin()
        let answer = try await answer(to: login, path, key)
        let session = answer.session(at: clock.date(), key: key)
        guard loginNumber == self.loginNumber else {
            await discard(session)
            throw .superseded
        }
        begin(session, isNewUser: answer.isNewUser)
        return Session(user: session.user, isNewUser: answer.isNewUser)
    }

    /// If this task is cancelled, the request goes on, so that the session that the server begins can be ended.
    private func answer(
        to login: some Encodable & Sendable, _ path: String, _ key: String?
    ) async throws(GatehouseError) -> LoginAnswer {
        let request = Task { await self.request(login, path, key) }
        let (answers, continuation) = AsyncStream.makeStream(of: Result<LoginAnswer, GatehouseError>.self)
        Task { continuation.yield(await request.value) }
        for await answer in answers { return try answer.get() }
        loginsUnderWay += 1
        Task {
            defer { self.endLogin() }
            guard case .success(let late) = await request.value else { return }
            await self.discard(late.session(at: self.clock.date(), key: key))
        }
        throw .cancelled
    }

    private func request(
        _ login: some Encodable & Sendable, _ path: String, _ key: String?
    ) async -> Result<LoginAnswer, GatehouseError> {
        do throws(GatehouseError) {
            let data = try await repeatedly { () async throws(GatehouseError) -> Data in
                try await self.connection.post(path, login, as: Credentials(key: key))
            }
            return .success(try Connection.decode(LoginAnswer.self, from: data))
        } catch {
            guard key != nil, case .refused(let problem) = error, problem.proofReason?.isOfEveryProof == true else {
                return .failure(error)
            }
            // The server looks at the proof before it uses up the identity token.
            report(.failed("the server refuses the proof of the login, so the session is not bound: \(problem)"))
            return await request(login, path, nil)
        }
    }

    private func endLogin() {
        loginsUnderWay -= 1
        // Deletes them after it has read the store: another process may have refreshed the session since.
        if cache.record?.oldKeys != nil { try? readStore() }
    }

    /// Ends the session of a login that has been superseded or cancelled.
    private func discard(_ session: StoredSession) async {
        try? readStore()
        guard cache.record != nil else {
            // The content of the store is not known, and a change would replace it.
            _ = try? await connection.logOut(session.tokens.refreshToken, key: session.key)
            return
        }
        changeStore { $0.add(PendingLogout(session)) }
        deliverLogoutsInBackground()
    }

    private func begin(_ session: StoredSession, isNewUser: Bool) {
        loginOfNewUser = isNewUser ? session.login : nil
        endRenewal(.failure(.superseded))
        pause = nil
        // If the store cannot be read, the login is kept in memory, and merged with the store when it can be read.
        try? cache.read()
        changeStore { record in
            if let old = record.session { record.add(PendingLogout(old)) }
            record.session = session
            // A server of an earlier version has not bound the session. Another login may still use the key.
            if session.key == nil, self.loginsUnderWay == 1 { record.nextKey = nil }
        }
        publish()
        deliverLogoutsInBackground()
    }

    /// A login may be repeated for a minute if its answer was lost.
    private func repeatedly(
        _ request: () async throws(GatehouseError) -> Data
    ) async throws(GatehouseError) -> Data {
        for pause in Self.backoff {
            do {
                return try await request()
            } catch {
                let wait = error.retryAfter ?? pause
                guard error.isTemporary, wait <= Self.longestWait else { throw error }
                do { try await clock.sleep(wait) } catch { throw .cancelled }
            }
        }
        return try await request()
    }
}

/// The answer of a login: the members of a refresh, and the user.
private struct LoginAnswer: Decodable {
    let refresh: RefreshAnswer
    let isNewUser: Bool
    let user: User

    private enum CodingKeys: CodingKey { case isNewUser, user }

    init(from decoder: any Decoder) throws {
        refresh = try RefreshAnswer(from: decoder)
        let members = try decoder.container(keyedBy: CodingKeys.self)
        isNewUser = try members.decode(Bool.self, forKey: .isNewUser)
        user = try members.decode(User.self, forKey: .user)
    }

    /// - Parameter key: the name of the key whose proof was sent. A server of an earlier version ignores the proof.
    func session(at date: Date, key: String?) -> StoredSession {
        let isBound = refresh.tokenType?.lowercased() == "dpop"
        return StoredSession(login: UUID(), tokens: refresh.tokens(at: date), user: user, key: isBound ? key : nil)
    }
}
