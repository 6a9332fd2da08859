import Foundation

extension GatehouseClient {
    /// A nonce for one login by an identity token.
    public func challenge() async throws(GatehouseError) -> LoginChallenge {
        // This path is known to servers of every version.
        let data = try await repeatedly { () async throws(GatehouseError) -> Data in
            try await self.connection.post("auth/apple/challenge", nil as Token?)
        }
        let challenge = try Connection.decode(LoginChallenge.self, from: data)
        deliverLogoutsInBackground()
        return challenge
    }

    /// Signs in with what a provider gave to the app. A session that this replaces is ended at the server.
    ///
    /// A login with a code is sent once, also if its answer is lost or the provider does not answer the server
    /// (``ProblemCode/providerUnavailable``): get a new code from the provider for the next attempt.
    ///
    /// - Throws: ``GatehouseError/superseded`` if the user signs out or in again before the answer arrives: the later
    ///   call counts.
    @discardableResult
    public func signIn(with login: ProviderLogin) async throws(GatehouseError) -> Session {
        try await signIn(LoginRequest(login))
    }

    /// Signs in with what Apple gave to the app, as ``signIn(with:)``.
    @discardableResult
    public func signIn(apple login: AppleLogin) async throws(GatehouseError) -> Session {
        try await signIn(with: .apple(login))
    }

    /// Signs in by email address, at a server in development.
    @discardableResult
    public func signIn(development login: DevelopmentLogin) async throws(GatehouseError) -> Session {
        try await signIn(LoginRequest(login))
    }

    func signIn(_ login: LoginRequest) async throws(GatehouseError) -> Session {
        loginNumber += 1
        let loginNumber = loginNumber
        await deliverLogoutsEverywhere()
        pendingLogins += 1
        loginsUnderWay += 1
        defer {
            pendingLogins -= 1
            endLogin()
        }
        let key = await keyForLogin(by: login.provider)
        let answer = try await answer(to: login, key)
        let session = answer.session(at: clock.date(), key: key, by: login.provider)
        guard loginNumber == self.loginNumber else {
            await discard(session)
            throw .superseded
        }
        return begin(session, of: answer)
    }

    /// If this task is cancelled, the request goes on, so that the session that the server begins can be ended.
    private func answer(to login: LoginRequest, _ key: String?) async throws(GatehouseError) -> LoginAnswer {
        let request = Task { await self.request(login, key) }
        let (answers, continuation) = AsyncStream.makeStream(of: Result<LoginAnswer, GatehouseError>.self)
        Task { continuation.yield(await request.value) }
        for await answer in answers { return try answer.get() }
        loginsUnderWay += 1
        Task {
            defer { self.endLogin() }
            guard case .success(let late) = await request.value else { return }
            await self.discard(late.session(at: self.clock.date(), key: key, by: login.provider))
        }
        throw .cancelled
    }

    private func request(_ login: LoginRequest, _ key: String?) async -> Result<LoginAnswer, GatehouseError> {
        do throws(GatehouseError) {
            // The server looks at the proof before it uses the code, so only a refused proof may be replaced.
            let data = try await repeatedly(login.isUsedOnce ? [] : Self.backoff) {
                () async throws(GatehouseError) -> Data in
                try await self.connection.post(login.path, encoded: login.body, as: Credentials(key: key))
            }
            return .success(try Connection.decode(LoginAnswer.self, from: data))
        } catch {
            guard key != nil, case .refused(let problem) = error, problem.proofReason?.isOfEveryProof == true else {
                return .failure(login.code.map(error.afterUsedCode) ?? error)
            }
            // Nor has it used up the identity token or the code.
            report(.failed("the server refuses the proof of the login, so the session is not bound: \(problem)"))
            return await request(login, nil)
        }
    }

    func endLogin() {
        loginsUnderWay -= 1
        // Deletes them after it has read the store: another process may have refreshed the session since.
        if cache.record?.oldKeys != nil { try? readStore() }
    }

    /// Ends the session of a login that has been superseded or cancelled.
    func discard(_ session: StoredSession) async {
        try? readStore()
        guard cache.record != nil else {
            // The content of the store is not known, and a change would replace it.
            _ = try? await connection.logOut(session.tokens.refreshToken, key: session.key)
            return
        }
        changeStore { $0.add(PendingLogout(session)) }
        deliverLogoutsInBackground()
    }

    /// Stores the session of a login in the place of the present one, whose logout is delivered later.
    func begin(_ session: StoredSession, of answer: LoginAnswer) -> Session {
        loginOfNewUser = answer.isNewUser ? session.login : nil
        loginOfKnownAddress = answer.isKnownAddress ? session.login : nil
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
        return Session(user: session.user, isNewUser: answer.isNewUser, isKnownAddress: answer.isKnownAddress)
    }

    /// A login by an identity token may be repeated for a minute if its answer was lost.
    ///
    /// - Parameter pauses: those between the attempts. Without one, there is one attempt.
    func repeatedly(
        _ pauses: [Duration] = GatehouseClient.backoff, _ request: () async throws(GatehouseError) -> Data
    ) async throws(GatehouseError) -> Data {
        for pause in pauses {
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
