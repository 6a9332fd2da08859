import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The user's profile, sessions and accounts. Each of these requests may be repeated.
extension GatehouseClient {
    public func user() async throws(GatehouseError) -> User {
        try await keep(call(User.self, "GET", ""))
    }

    @discardableResult
    public func update(_ change: ProfileChange) async throws(GatehouseError) -> User {
        // The server refuses an empty change.
        guard change != ProfileChange() else { return try await user() }
        let user = try await keep(call(User.self, "PATCH", "", body: try? JSONEncoder().encode(change)))
        if change.nickname != nil, PasskeySignals.areSupported { Task { try? await self.passkeys() } }
        return user
    }

    /// The sessions of the user, on all devices.
    public func sessions() async throws(GatehouseError) -> [ListedSession] {
        struct List: Decodable { let sessions: [ListedSession] }
        return try await call(List.self, "GET", "/sessions").sessions
    }

    /// Ends a session, such as one of a lost device.
    public func end(session id: ListedSession.ID) async throws(GatehouseError) {
        _ = try await call("DELETE", "/sessions/" + Connection.segment(id))
    }

    public func accounts() async throws(GatehouseError) -> [LinkedAccount] {
        try await call(AccountList.self, "GET", "/accounts").accounts
    }

    /// Lets the user sign in with this account at the provider as well.
    ///
    /// A code is sent once, as by ``signIn(with:)``. Where the server refuses the account as linked already
    /// (``ProblemCode/accountAlreadyLinked``), the reason says whether it is linked to another user
    /// (``ProblemReason/identity``), or this user has another account at the provider (``ProblemReason/provider``).
    @discardableResult
    public func link(_ login: ProviderLogin) async throws(GatehouseError) -> [LinkedAccount] {
        let (path, session) = (Self.path(of: login.provider), try presentSession())
        do {
            let accounts = try await call(
                AccountList.self, "POST", path, body: login.linkBody, isSentOnce: login.isUsedOnce
            ).accounts
            if session.user.isGuest { await renewAfterLinking(session) }
            return accounts
        } catch {
            throw login.isUsedOnce ? error.afterUsedCode(from: .provider) : error
        }
    }

    /// Lets the user sign in with this Apple Account as well.
    @discardableResult
    public func link(apple login: AppleLogin) async throws(GatehouseError) -> [LinkedAccount] {
        try await link(.apple(login))
    }

    /// The user can no longer sign in by this provider, and the other sessions that it has opened end.
    ///
    /// - Parameter proof: a new login by one of the user's accounts; needed if the server demands a recent login.
    public func unlink(provider: Provider, proof: ProviderLogin? = nil) async throws(GatehouseError) {
        let body = proof.flatMap { try? JSONEncoder().encode($0.proof) }
        let isSentOnce = proof?.isUsedOnce == true
        do {
            _ = try await call("DELETE", Self.path(of: provider), body: body, isSentOnce: isSentOnce)
        } catch {
            throw isSentOnce ? error.afterUsedCode(from: .provider) : error
        }
    }

    /// - Parameter proof: a new login with the user's Apple Account; needed if the server demands a recent login.
    public func unlinkApple(proof: AppleLogin? = nil) async throws(GatehouseError) {
        try await unlink(provider: .apple, proof: proof.map(ProviderLogin.apple))
    }

    /// The server writes the names of providers in lower case in paths.
    static func path(of provider: Provider) -> String {
        "/accounts/" + Connection.segment(provider.rawValue.lowercased())
    }

    /// Everything that the server holds about the user, as JSON.
    public func export() async throws(GatehouseError) -> Data {
        try await call("GET", "/export").0
    }

    /// Deletes the account at once, and signs out.
    ///
    /// - Parameters:
    ///   - authorizationCode: a fresh one of Apple's, so that the server can revoke Apple's tokens as the App Store
    ///     demands.
    ///   - proof: a new login with the user's Apple Account; needed if the server demands a recent login.
    @discardableResult
    public func deleteAccount(
        authorizationCode: String?, proof: AppleLogin? = nil
    ) async throws(GatehouseError) -> AppleRevocation {
        var body = proof.map { ProviderLogin.apple($0).proof } ?? CredentialBody()
        body.authorizationCode = authorizationCode
        let login = try presentSession().login
        var isRepeated = false
        while true {
            do {
                let (_, response) = try await call("DELETE", "", body: try? JSONEncoder().encode(body), of: login)
                forget(login)
                return AppleRevocation(response)
            } catch .noAnswer(let code) {
                // The account may be deleted; the answer to a second request shows it.
                if isRepeated { throw .noAnswer(code) }
                isRepeated = true
            } catch .signedOut(.refused(let code)) where isRepeated && ![.userDisabled, .deviceKeyLost].contains(code) {
                forget(login)
                return .unknown
            }
        }
    }

    /// Deletes the user whom this login has made, if its session has ``Session/isKnownAddress``, and signs out. Then the user
    /// signs in as before, and ``link(_:)`` or ``link(code:for:onTaken:replacing:)`` adds the account of this login.
    ///
    /// - Throws: ``GatehouseError/superseded``, and deletes nothing, if the present session is another one.
    public func discardNewUser() async throws(GatehouseError) {
        guard try presentSession().login == loginOfKnownAddress else { throw .superseded }
        try await deleteAccount(authorizationCode: nil)
    }

    /// The server has ended all sessions with the account.
    private func forget(_ login: UUID) {
        try? cache.read()
        guard cache.session == nil || cache.session?.login == login else { return }
        signOutReason = .accountDeleted
        endRenewal(.failure(.signedOut(.accountDeleted)))
        changeStore { $0.session = nil }
        publish()
    }

    /// Keeps the user in the session, so that the app has it at its next start.
    private func keep(_ user: User) -> User {
        try? readStore()
        if let session = cache.session, session.user.id == user.id, session.user != user {
            changeStore { $0.session?.user = user }
            publish()
        }
        return user
    }
}

struct AccountList: Decodable {
    let accounts: [LinkedAccount]
}

extension AppleRevocation {
    fileprivate init(_ response: HTTPURLResponse) {
        switch response.value(forHTTPHeaderField: "X-Apple-Revocation") {
        case nil: self = .notNeeded
        case "by-hand": self = .byHand(Self.page(in: response.value(forHTTPHeaderField: "Link")))
        default: self = .queued
        }
    }

    /// The URL between the angle brackets of a Link header.
    private static func page(in link: String?) -> URL? {
        guard let start = link?.firstIndex(of: "<"), let end = link?.firstIndex(of: ">"), let link, start < end else {
            return nil
        }
        return URL(string: String(link[link.index(after: start)..<end]))
    }
}
