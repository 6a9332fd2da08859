package import Gatehouse
import SQL

extension RelationalStore {
    package func record(
        _ login: Login, limit: Int, by decide: @escaping (IdentityFacts) -> LoginDecision
    ) throws(Refusal) -> (decision: LoginDecision, ended: [EndedSession]) {
        try writing { try $0.record(login, limit: limit, by: decide) }
    }
}

extension RecordConnection {
    /// Decides a login, and writes what was decided. On PostgreSQL, most logins run in batches: `LoginBatches`.
    func record(
        _ login: Login, limit: Int, by decide: (IdentityFacts) -> LoginDecision
    ) throws -> (decision: LoginDecision, ended: [EndedSession]) {
        try lock(login.redemption, login.key?.use)
        try lock(login.identity)
        let facts = try facts(of: login)
        let decision = decide(facts)
        switch decision {
        case .refuse(.barred(let user)):
            try bar(login.identityHashes, of: user, now: login.moment)
            return (decision, [])
        case .refuse:
            return (decision, [])
        case .accept(var accepted):
            let ended = try write(accepted, of: login, known: facts.known, limit: limit)
            if let address = accepted.newAddress(by: login) {
                accepted.isKnownAddress =
                    try first(knownAddress, .text(accepted.user.id.text), .text(address)) { _ in true } ?? false
            }
            return (.accept(accepted), ended)
        }
    }

    fileprivate func facts(of login: Login) throws -> IdentityFacts {
        if let limits = login.guest { return try facts(of: login, asGuestWithin: limits) }
        let use = try use(of: login.redemption)
        let hasUsedProof = try login.key.map { try hasUsed($0.use) } ?? false
        let (account, otherUser) = try known(login.identity)
        let passkey = try login.passkey.flatMap { try stored($0, of: login.identity) }
        guard let known = account else {
            return IdentityFacts(
                barredFrom: try owner(ofBarred: login.identityHashes), use: use, hasUsedProof: hasUsedProof,
                passkey: passkey)
        }
        let mayBeStale = login.staleAfter != nil
        let needsAccounts = mayBeStale || login.mayChangeAddress(of: known.user)
        return IdentityFacts(
            known: known, otherUser: otherUser, use: use, hasUsedProof: hasUsedProof, passkey: passkey,
            lastUse: mayBeStale ? try lastUse(of: known.user.id) : nil,
            accounts: needsAccounts ? try accounts(of: known.user.id) : [])
    }

    /// Returns the sessions that the limit has ended.
    fileprivate func write(
        _ accepted: AcceptedLogin, of login: Login, known: KnownIdentity?, limit: Int
    ) throws -> [EndedSession] {
        try writeParts(of: accepted, by: login, known: known)
        let before = try known.map { _ in try sessions(before: accepted.session, tellsOwner: login.tellsOwner) }
        if let known {
            try updateAtLogin(accepted.user, from: known.user, by: login.identity.provider, now: login.moment)
        }
        try insert(accepted.event(of: login, known: known))
        if let redemption = login.redemption { try markRedeemed(redemption) }
        if let key = login.key { try markUsed(key.use, now: login.moment) }
        try insert(accepted.session, redeeming: login.redemption)
        try insert(accepted.auditEntry)
        // A new user has one session.
        guard let known, let before else { return [] }
        if before.areOfOtherDevices || accepted.usesStaleNumber || accepted.user.email != known.user.email {
            try insert(accepted.notices(to: known.user, onNewDevice: before.areOfOtherDevices))
        }
        if before.areOfOtherDevices {
            let content = UserEvent.Content.deviceAdded(accepted.session.id, by: login.identity.provider)
            try insert(UserEvent(content, of: known.user.id, at: login.moment))
        }
        return try enforce(limit, opening: accepted.session, among: before.count + 1)
    }

    /// What only some logins write.
    func writeParts(of accepted: AcceptedLogin, by login: Login, known: KnownIdentity?) throws {
        if let known {
            if let account = accepted.account {
                try update(account, formerSubject: known.account.subject, now: login.moment)
            }
        } else {
            let created = accepted.user.createdAt
            try insert(accepted.user, lastLoginAt: created, by: login.identity.provider, now: created)
            if let account = accepted.account { try insert(account, of: accepted.user.id) }
            if let guest = login.guest { try insert(guest.keys, of: [], at: login.moment) }
        }
        if let redemption = login.redemption {
            if login.identity.provider.isProvenByCode { try markUsed(code: redemption.tokenHash) }
            if redemption.isAuthorizationCode {
                try markUsed(authorizationCode: redemption.tokenHash, opening: accepted.session.id)
            }
        }
        if let passkey = login.passkey { try write(passkey, of: login, accepted) }
        if let task = accepted.task { try insert(task) }
    }
}

/// Whether an active user other than `id` has proven an address, which is in lower case.
func isKnown(_ address: String, exceptTo id: String) -> String {
    """
    (EXISTS (SELECT 1 FROM users u WHERE u.email IS NOT NULL AND lower(u.email) = \(address) AND u.email_verified
            AND u.status = 'ACTIVE' AND u.id <> \(id))
        OR EXISTS (SELECT 1 FROM auth_accounts a JOIN users u ON u.id = a.user_id
            WHERE a.email IS NOT NULL AND lower(a.email) = \(address) AND a.email_verified
            AND u.status = 'ACTIVE' AND u.id <> \(id)))
    """
}

let knownAddress = "SELECT 1 WHERE \(isKnown("?2", exceptTo: "?1"))"

extension AcceptedLogin {
    /// The address of a new user, in lower case, if this login has proven it.
    func newAddress(by login: Login) -> String? {
        isNewUser && login.identity.hasVerifiedEmail ? login.identity.email?.withLowerASCII : nil
    }

    /// What other services are told; nil if nothing of a known user has changed.
    func event(of login: Login, known: KnownIdentity?) -> UserEvent? {
        guard let known else {
            return UserEvent(.created(by: login.identity.provider), of: user.id, at: login.moment)
        }
        // Most logins change nothing, and this is less work than to compare the members one by one.
        return user == known.user ? nil : UserEvent.update(of: user, from: known.user, at: login.moment)
    }
}
