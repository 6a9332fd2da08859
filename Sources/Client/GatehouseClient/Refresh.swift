import Foundation

/// A refresh under way, and the tasks that wait for it.
struct Renewal {
    let id = UUID()
    var waiters: [UUID: Waiter] = [:]
}

typealias Waiter = CheckedContinuation<Result<Void, GatehouseError>, Never>

/// The server's `Retry-After`: until then, a refresh fails at once.
struct Pause {
    let end: ContinuousClock.Instant
    let error: GatehouseError
}

extension GatehouseClient {
    /// The access token. It is refreshed first if it would expire too soon. Where a bound session has to send a proof,
    /// take ``headers(for:_:validFor:)``.
    ///
    /// - Parameter margin: how long the token must be valid, at most half of its lifetime.
    public func accessToken(validFor margin: Duration = .seconds(60)) async throws(GatehouseError) -> String {
        try await currentSession(validFor: margin).tokens.accessToken.text
    }

    /// The access token after the server answered 401 to a request with the token `refused`: a newer token if there is
    /// one, otherwise a refreshed one. For code that sends its own requests.
    public func accessToken(replacing refused: String) async throws(GatehouseError) -> String {
        cache.expire(Token(refused))
        return try await currentSession(validFor: .zero).tokens.accessToken.text
    }

    func currentSession(validFor margin: Duration) async throws(GatehouseError) -> StoredSession {
        // Tries again if another process has replaced the session.
        for _ in 0..<3 {
            let session = try presentSession()
            let lifetime = Duration.seconds(session.tokens.expiresIn)
            if cache.remaining > min(margin, lifetime / 2) { return session }
            try await joinRenewal(of: session)
            if let renewed = cache.session, renewed.login == session.login { return renewed }
        }
        throw .superseded
    }

    func presentSession() throws(GatehouseError) -> StoredSession {
        if cache.record == nil {
            do { try readStore() } catch { throw .storeUnavailable(error) }
        }
        // Another process may have signed in since.
        if cache.session == nil { try? readStore() }
        guard let session = cache.session else { throw .signedOut(signOutReason) }
        return session
    }

    // MARK: One refresh for all

    /// Waits for the refresh under way, or starts one. A cancelled task stops waiting, and the refresh goes on.
    private func joinRenewal(of session: StoredSession) async throws(GatehouseError) {
        if renewal == nil { startRenewal(of: session) }
        let waiter = UUID()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: Waiter) in
                if Task.isCancelled || renewal == nil {
                    continuation.resume(returning: .failure(GatehouseError.cancelled))
                } else {
                    renewal?.waiters[waiter] = continuation
                }
            }
        } onCancel: {
            Task { await self.stopWaiting(waiter) }
        }
        try result.get()
    }

    private func stopWaiting(_ waiter: UUID) {
        renewal?.waiters.removeValue(forKey: waiter)?.resume(returning: .failure(.cancelled))
    }

    private func startRenewal(of session: StoredSession) {
        let new = Renewal()
        renewal = new
        Task {
            let result = await self.renew(session)
            if self.renewal?.id == new.id { self.endRenewal(result) }
        }
    }

    /// Ends the wait of all tasks. The answer of a refresh that is still under way has no effect after this.
    func endRenewal(_ result: Result<Void, GatehouseError>) {
        let waiters = renewal?.waiters.values.map { $0 } ?? []
        renewal = nil
        for waiter in waiters { waiter.resume(returning: result) }
    }

    // MARK: Refreshing

    static let backoff: [Duration] = [.milliseconds(500), .seconds(2)]
    /// A longer pause is left to the caller.
    static let longestWait = Duration.seconds(5)
    /// Even if the server, or a proxy before it, asks for more.
    private static let longestPause = Duration.seconds(3600)

    /// - Parameter session: the one to refresh. A newer state of it, in the store or in memory, makes a refresh
    ///   unnecessary.
    private func renew(_ session: StoredSession) async -> Result<Void, GatehouseError> {
        if let pause, pause.end > clock.now() { return .failure(pause.error) }
        var backoff = Self.backoff[...]
        var hasContinued = false
        while true {
            // If it cannot be read, memory has the session.
            try? readStore()
            guard let sent = cache.session, sent.login == session.login else {
                return cache.session == nil ? .failure(.signedOut(signOutReason)) : .success(())
            }
            if sent.refreshes > session.refreshes, cache.remaining > .zero { return .success(()) }
            do {
                let answer = try await connection.refresh(sent.tokens.refreshToken, key: sent.key)
                let result = keep(answer, replacing: sent)
                // The server repeated a lost answer whose access token has expired. The refresh token of that answer
                // gets a new one.
                guard case .success = result, answer.expiresIn <= 0, !hasContinued else { return result }
                hasContinued = true
            } catch {
                if case .refused(let problem) = error, problem.code.endsSession {
                    if hasNewer(than: sent) { continue }
                    return end(sent, .refused(problem.code))
                }
                if error.isOfLostKey(sent.key) { return .failure(loseKey(of: sent)) }
                if error.isTemporary, let next = backoff.popFirst(), await wait(error.retryAfter ?? next) { continue }
                honourRetryAfter(error)
                return .failure(error)
            }
        }
    }

    private func wait(_ duration: Duration) async -> Bool {
        guard duration <= Self.longestWait else { return false }
        do { try await clock.sleep(duration) } catch { return false }
        return true
    }

    private func honourRetryAfter(_ error: GatehouseError) {
        guard error.isTemporary, let duration = error.retryAfter else { return }
        pause = Pause(end: clock.now().advanced(by: min(duration, Self.longestPause)), error: error)
    }

    /// Another process may have refreshed the session twice since the store was read.
    private func hasNewer(than sent: StoredSession) -> Bool {
        try? readStore()
        guard let present = cache.session, present.login == sent.login else { return false }
        return present.refreshes > sent.refreshes
    }

    /// Saves the successor before its access token is used: if the process is killed in between, the old refresh token
    /// still gets the same successor.
    private func keep(_ answer: RefreshAnswer, replacing sent: StoredSession) -> Result<Void, GatehouseError> {
        try? readStore()
        guard let present = cache.session, present.login == sent.login else {
            return .failure(cache.session == nil ? .signedOut(signOutReason) : .superseded)
        }
        if present.refreshes == sent.refreshes {
            changeStore { record in
                record.session?.tokens = answer.tokens(at: self.clock.date())
                record.session?.refreshes += 1
            }
        }
        pause = nil
        publish()
        deliverLogoutsInBackground()
        return .success(())
    }

    private func end(_ sent: StoredSession, _ reason: SignOutReason) -> Result<Void, GatehouseError> {
        guard cache.session?.login == sent.login else { return .failure(.superseded) }
        let reason = sent.login == loginOfRefusedKey ? SignOutReason.deviceKeyLost : reason
        signOutReason = reason
        changeStore { $0.session = nil }
        publish()
        return .failure(.signedOut(reason))
    }
}

/// The answer of a refresh.
struct RefreshAnswer: Decodable {
    let accessToken: Token
    let refreshToken: Token
    let expiresIn: Int
    let tokenType: String?

    func tokens(at date: Date) -> Tokens {
        Tokens(accessToken: accessToken, refreshToken: refreshToken, expiresIn: expiresIn, receivedAt: date)
    }
}

extension Connection {
    func refresh(_ token: Token, key: String?) async throws(GatehouseError) -> RefreshAnswer {
        let data = try await post("auth/refresh", ["refreshToken": token], as: Credentials(key: key))
        return try Self.decode(RefreshAnswer.self, from: data)
    }
}
