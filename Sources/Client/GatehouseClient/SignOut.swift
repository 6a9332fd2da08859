import Foundation

extension GatehouseClient {
    /// Signs out on this device at once, also without a network, and has the server end the session.
    ///
    /// - Parameter everywhere: also end the user's sessions on all other devices.
    /// - Returns: `.queued` if the server could not be reached. The client sends the logout later, also in the next run
    ///   of the app.
    @discardableResult
    public func signOut(everywhere: Bool = false) async -> SignOutResult {
        loginNumber += 1
        try? cache.read()
        signOutReason = .requested
        endRenewal(.failure(.signedOut(.requested)))
        changeStore { record in
            if let session = record.session { record.add(PendingLogout(session, everywhere: everywhere)) }
            record.session = nil
        }
        publish()
        return await deliverLogouts() ? .delivered : .queued
    }

    // MARK: Delivery

    /// Sends the logouts that the server has not confirmed. The client calls this when the app starts and after each
    /// challenge, login and refresh; call it when the network returns.
    ///
    /// - Returns: whether none is left.
    @discardableResult
    public func deliverLogouts() async -> Bool {
        guard cache.record?.logouts.isEmpty == false else { return cache.record != nil && !cache.isUnsaved }
        // A delivery that began before this call may have failed because the network had not returned.
        if let delivery, await delivery.value { return true }
        let task = delivery ?? Task { await self.deliverAll() }
        delivery = task
        return await task.value
    }

    /// Before a login: a logout everywhere that is delivered after it would end its session as well.
    func deliverLogoutsEverywhere() async {
        if cache.record == nil { try? cache.read() }
        if cache.record?.logouts.contains(where: \.everywhere) == true { await deliverLogouts() }
    }

    func deliverLogoutsInBackground() {
        guard delivery == nil, cache.record?.logouts.isEmpty == false else { return }
        delivery = Task { await self.deliverAll() }
    }

    private func deliverAll() async -> Bool {
        defer { delivery = nil }
        var undelivered: Set<Token> = []
        while var logout = cache.record?.logouts.first(where: { !undelivered.contains($0.refreshToken) }) {
            do {
                try await deliver(&logout)
                try? readStore()
                changeStore { $0.logouts.removeAll { $0.refreshToken == logout.refreshToken } }
            } catch {
                switch error {
                case .refused where !error.isTemporary, .storeUnavailable:
                    // Another logout may have a key that can be used.
                    undelivered.insert(logout.refreshToken)
                default:
                    // If this request got no answer, the others would not get one either.
                    return false
                }
            }
        }
        return undelivered.isEmpty
    }

    /// Also succeeds if there is no session to end.
    private func deliver(_ logout: inout PendingLogout) async throws(GatehouseError) {
        do throws(GatehouseError) {
            if logout.everywhere, logout.user == cache.session?.user.id {
                try await endOtherSessions()
            } else if logout.everywhere {
                guard pendingLogins == 0 else { throw .superseded }
                try await logOutEverywhere(&logout)
            } else {
                try await connection.logOut(logout.refreshToken, key: logout.key)
            }
        } catch {
            // Without its key, a logout can never be delivered.
            if error.isOfLostKey(logout.key) { return }
            guard case .refused(let problem) = error, problem.code.endsSession else { throw error }
        }
    }

    /// The user has signed in again, so that session stays.
    private func endOtherSessions() async throws(GatehouseError) {
        for session in try await sessions() where !session.current { try await end(session: session.id) }
    }

    /// `logout-all` needs an access token. The refresh that gets one is repeated with the same token until its answer
    /// arrives.
    private func logOutEverywhere(_ logout: inout PendingLogout) async throws(GatehouseError) {
        do {
            try await connection.logOutEverywhere(logout)
        } catch {
            guard case .refused(let problem) = error, problem.status == 401, problem.proofReason == nil else {
                throw error
            }
            logout = renew(logout, try await connection.refresh(logout.refreshToken, key: logout.key))
            try await connection.logOutEverywhere(logout)
        }
    }

    /// Saves the new tokens before one of them is used: after such a use, the old refresh token would count as stolen.
    private func renew(_ logout: PendingLogout, _ answer: RefreshAnswer) -> PendingLogout {
        var renewed = logout
        (renewed.accessToken, renewed.refreshToken) = (answer.accessToken, answer.refreshToken)
        try? readStore()
        changeStore { record in
            record.logouts.removeAll { $0.refreshToken == logout.refreshToken }
            record.add(renewed)
        }
        return renewed
    }
}

extension Connection {
    func logOut(_ refreshToken: Token, key: String?) async throws(GatehouseError) {
        let credentials = Credentials(key: key)
        _ = try await post("auth/logout", ["refreshToken": refreshToken], as: credentials, expecting: 204)
    }

    fileprivate func logOutEverywhere(_ logout: PendingLogout) async throws(GatehouseError) {
        let credentials = Credentials(token: logout.accessToken, key: logout.key)
        _ = try await post("auth/logout-all", nil as Token?, as: credentials, expecting: 204)
    }
}
