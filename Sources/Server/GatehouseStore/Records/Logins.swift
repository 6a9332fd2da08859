package import Gatehouse
import SQL

extension RelationalStore {
    package func record(
        _ login: Login, limit: Int, by decide: @escaping (LoginFacts) -> LoginDecision
    ) throws(Refusal) -> (decision: LoginDecision, ended: [SessionID]) {
        try writing { connection in
            try connection.lock(login.redemption, login.key?.use)
            try connection.lock(login.identity)
            let facts = try connection.facts(of: login)
            let decision = decide(facts)
            switch decision {
            case .refuse(.barred(let user)):
                try connection.bar(login.identityHashes, of: user, now: login.moment)
                return (decision, [])
            case .refuse:
                return (decision, [])
            case .accept(let accepted):
                return (decision, try connection.write(accepted, of: login, known: facts.known, limit: limit))
            }
        }
    }
}

extension RecordConnection {
    fileprivate func facts(of login: Login) throws -> LoginFacts {
        let use = try use(of: login.redemption)
        let hasUsedProof = try login.key.map { try hasUsed($0.use) } ?? false
        let (account, otherUser) = try known(login.identity)
        guard let known = account else {
            return LoginFacts(
                barredFrom: try owner(ofBarred: login.identityHashes), use: use, hasUsedProof: hasUsedProof)
        }
        let mayBeStale = login.staleAfter != nil
        let needsAccounts = mayBeStale || login.mayChangeAddress(of: known.user)
        return LoginFacts(
            known: known, otherUser: otherUser, use: use, hasUsedProof: hasUsedProof,
            lastUse: mayBeStale ? try lastUse(of: known.user.id) : nil,
            accounts: needsAccounts ? try accounts(of: known.user.id) : [])
    }

    /// Returns the sessions that the limit has ended.
    fileprivate func write(
        _ accepted: AcceptedLogin, of login: Login, known: KnownIdentity?, limit: Int
    ) throws -> [SessionID] {
        if let known {
            try updateAtLogin(accepted.user, by: login.identity.provider, now: login.moment)
            try insert(UserEvent.update(of: accepted.user, from: known.user, at: login.moment))
            if let account = accepted.account {
                try update(account, formerSubject: known.account.subject, now: login.moment)
            }
        } else {
            try insert(accepted.user, lastLoginBy: login.identity.provider)
            if let account = accepted.account { try insert(account, of: accepted.user.id) }
            try insert(
                UserEvent(.created(by: login.identity.provider), of: accepted.user.id, at: login.moment))
        }
        if let redemption = login.redemption { try markRedeemed(redemption, by: login.identity.provider) }
        if let key = login.key { try markUsed(key.use, now: login.moment) }
        try insert(accepted.session, redeeming: login.redemption)
        if let code = login.redemption, code.isAuthorizationCode {
            try markUsed(authorizationCode: code.tokenHash, opening: accepted.session.id)
        }
        try insert(accepted.auditEvent)
        if let task = accepted.task { try insert(task) }
        // A new user has one session.
        guard known != nil else { return [] }
        let ended = try enforce(limit, on: accepted.user.id, except: accepted.session.id, now: login.moment)
        if let event = accepted.auditEvent(ofEnded: ended) { try insert(event) }
        return ended
    }
}
