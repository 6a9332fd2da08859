import Foundation

/// The user's passkeys. On Apple's platforms, `signInWithPasskey`, `signUpWithPasskey` and `addPasskey` show the sheets.
extension GatehouseClient {
    /// The passkeys with which the user signs in.
    ///
    /// On iOS 26, the system's password managers are told which of them the server accepts, and under which name they are to be
    /// shown. They hide the others.
    public func passkeys() async throws(GatehouseError) -> [ListedPasskey] {
        let additions = passkeyAdditions
        let list = try await call(PasskeyList.self, "GET", "/passkeys")
        if additions == passkeyAdditions { await PasskeySignals.report(list) }
        return list.passkeys.map {
            var passkey = $0
            passkey.party = list.rpId
            return passkey
        }
    }

    /// Gives a passkey another name in the list, or none.
    @discardableResult
    public func rename(
        passkey id: ListedPasskey.ID, to name: String?
    ) async throws(GatehouseError) -> ListedPasskey {
        let body = try? JSONEncoder().encode(["name": name])
        return try await call(ListedPasskey.self, "PATCH", "/passkeys/" + Connection.segment(id), body: body)
    }

    /// The user can no longer sign in with this passkey. On iOS 26, password managers hide it.
    ///
    /// The server refuses the last way to sign in (``ProblemCode/lastAccount``), and may demand a recent login
    /// (``ProblemCode/loginTooOld``).
    ///
    /// - Parameter passkey: one of ``passkeys()``.
    public func delete(passkey: ListedPasskey) async throws(GatehouseError) {
        _ = try await call("DELETE", "/passkeys/" + Connection.segment(passkey.id))
        await PasskeySignals.reportUnknown(passkey.credentialId, of: passkey.party)
    }
}

/// The two halves of each ceremony: the server's options, and what the authenticator has answered.
extension GatehouseClient {
    package func passkeyLogin() async throws(GatehouseError) -> PasskeyOptions {
        try await passkeyOptions("auth/passkey/options", nil)
    }

    package func passkeySignUp(
        nickname: String? = nil, contact: String? = nil
    ) async throws(GatehouseError) -> PasskeyOptions {
        try await passkeyOptions(
            "auth/passkey/signup/options", PasskeyProfile(nickname: nickname, contact: contact))
    }

    package func passkeyAddition() async throws(GatehouseError) -> PasskeyOptions {
        try await call(PasskeyOptions.self, "POST", "/passkeys/options")
    }

    private func passkeyOptions(
        _ path: String, _ profile: PasskeyProfile?
    ) async throws(GatehouseError) -> PasskeyOptions {
        let data = try await repeatedly { () async throws(GatehouseError) -> Data in
            try await self.connection.post(path, profile)
        }
        return try Connection.decode(PasskeyOptions.self, from: data)
    }

    /// The server takes an answer once, so that it is sent once.
    @discardableResult
    package func signIn(
        passkey credential: PasskeyCredential, for options: PasskeyOptions
    ) async throws(GatehouseError) -> Session {
        try await reporting(credential, options, Self.isUnknown) { () async throws(GatehouseError) in
            try await signIn(LoginRequest("auth/passkey", credential, options))
        }
    }

    @discardableResult
    package func signUp(
        passkey credential: PasskeyCredential, for options: PasskeyOptions, as profile: PasskeyProfile? = nil
    ) async throws(GatehouseError) -> Session {
        try await reporting(credential, options, Self.isUseless) { () async throws(GatehouseError) in
            try await signIn(LoginRequest("auth/passkey/signup", credential, options, profile))
        }
    }

    package func add(
        passkey credential: PasskeyCredential, for options: PasskeyOptions, name: String? = nil
    ) async throws(GatehouseError) -> ListedPasskey {
        let body = try? JSONEncoder().encode(PasskeyAnswer(credential, options, name: name))
        passkeyAdditions += 1
        defer { passkeyAdditions += 1 }
        do {
            let session = try presentSession()
            let passkey = try await reporting(credential, options, Self.isUseless) {
                () async throws(GatehouseError) in
                try await call(ListedPasskey.self, "POST", "/passkeys", body: body, isSentOnce: true)
            }
            if session.user.isGuest { await renewAfterLinking(session) }
            return passkey
        } catch {
            throw error.afterUsedCode(from: .passkey)
        }
    }

    private static func isUnknown(_ problem: Problem) -> Bool {
        problem.code == .invalidPasskey && problem.reason == .unknown
    }

    /// Whether a refusal means that the server has not taken the new passkey, which the device has already.
    private static func isUseless(_ problem: Problem) -> Bool {
        (400..<500).contains(problem.status) && problem.code != .accountAlreadyLinked
    }

    /// After a refusal that says so, password managers are told that the server does not know the passkey.
    private func reporting<Answer>(
        _ credential: PasskeyCredential, _ options: PasskeyOptions, _ isUnknown: (Problem) -> Bool,
        _ request: () async throws(GatehouseError) -> Answer
    ) async throws(GatehouseError) -> Answer {
        do { return try await request() } catch {
            if case .refused(let problem) = error, isUnknown(problem) {
                await PasskeySignals.reportUnknown(credential.id, of: options.publicKey.party)
            }
            throw error
        }
    }
}

extension LoginRequest {
    fileprivate init(
        _ path: String, _ credential: PasskeyCredential, _ options: PasskeyOptions, _ profile: PasskeyProfile? = nil
    ) {
        let body = PasskeyAnswer(credential, options, profile)
        self.init(path: path, body: try? JSONEncoder().encode(body), provider: .passkey, code: .passkey)
    }
}

private struct PasskeyAnswer: Encodable {
    let passkeyId: String
    let credential: PasskeyCredential
    var name: String?
    let nickname: String?
    let contact: String?

    init(
        _ credential: PasskeyCredential, _ options: PasskeyOptions, _ profile: PasskeyProfile? = nil,
        name: String? = nil
    ) {
        (self.credential, passkeyId, self.name) = (credential, options.passkeyId, name)
        (nickname, contact) = (profile?.nickname, profile?.contact)
    }
}
