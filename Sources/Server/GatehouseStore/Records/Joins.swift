package import Gatehouse
import SQL

extension RelationalStore {
    package func record(
        _ join: Join, limit: Int,
        resealing reseal: @escaping @Sendable (_ sealed: [UInt8], _ owner: UserID) -> [UInt8]?,
        by decide: @escaping (JoinFacts) -> JoinDecision
    ) throws(Refusal) -> (decision: JoinDecision, ended: [EndedSession]) {
        try writing { connection in
            try connection.lock(join.redemption, nil)
            try connection.lock(join.identity)
            // A login by one of them waits, and then finds the user to whom it has moved.
            for account in try connection.accounts(of: join.caller) {
                try connection.lock(Identity(provider: account.provider, subject: account.subject, email: nil))
            }
            try connection.lock(join.caller)
            try connection.lockSessions(of: join.caller)
            let decision = decide(try connection.facts(of: join))
            guard case .join(let accepted) = decision else { return (decision, []) }
            return (decision, try connection.write(accepted, of: join, limit: limit, resealing: reseal))
        }
    }
}

extension RecordConnection {
    fileprivate func facts(of join: Join) throws -> JoinFacts {
        let (known, otherUser) = try known(join.identity)
        let owner = known?.user
        return JoinFacts(
            caller: try user(join.caller).map { JoinFacts.Party(user: $0, accounts: try accounts(of: $0.id)) },
            callersSessions: try sessions(of: join.caller, aliveAt: join.moment),
            owner: try owner.map { JoinFacts.Party(user: $0, accounts: try accounts(of: $0.id)) },
            otherUser: otherUser,
            ownersLastUse: join.staleAfter == nil ? nil : try owner.flatMap { try lastUse(of: $0.id) },
            use: try use(of: join.redemption))
    }

    /// Returns the sessions that ended.
    fileprivate func write(
        _ accepted: AcceptedJoin, of join: Join, limit: Int, resealing reseal: ([UInt8], UserID) -> [UInt8]?
    ) throws -> [EndedSession] {
        let owner = accepted.user.id
        let moved = try accounts(of: join.caller).map(\.provider)
        let former = try user(owner)
        let ofDevice = accepted.noticesOfDevice
        let isOnNewDevice = try ofDevice.map { notices in
            try sessions(before: accepted.session, tellsOwner: !notices.isEmpty).areOfOtherDevices
        }
        try moveAccounts(of: join.caller, to: owner, resealing: { reseal($0, owner) }, now: join.moment)
        let ended = try deleteSessions(of: join.caller, for: .userDeleted, now: join.moment)
        _ = try anonymise(join.caller, now: join.moment)
        try updateAtLogin(accepted.user, from: former, by: join.identity.provider, now: join.moment)
        if let account = accepted.account, let known = try known(join.identity).known {
            try update(account, formerSubject: known.account.subject, now: join.moment)
        }
        if let task = accepted.task { try insert(task) }
        if let redemption = join.redemption {
            try markRedeemed(redemption, by: join.identity.provider)
            try linkReplayGrace(of: redemption, to: join.identity)
        }
        try insert(accepted.session, redeeming: nil)
        for event in accepted.events { try insert(event) }
        try insert(accepted.notices)
        if let ofDevice, isOnNewDevice == true {
            try insert(ofDevice)
            let content = UserEvent.Content.deviceAdded(accepted.session.id, by: join.identity.provider)
            try insert(UserEvent(content, of: owner, at: join.moment))
        }
        try insert(UserEvent(.deleted(joining: owner), of: join.caller, at: join.moment))
        for provider in moved { try insert(UserEvent(.linked(provider), of: owner, at: join.moment)) }
        if let former { try insertUpdate(of: former, at: join.moment) }
        return ended + (try enforce(limit, opening: accepted.session))
    }

    /// With what Apple gave to the user, encrypted for the other one.
    ///
    /// - Parameter ids: only these accounts; nil for all.
    /// - Returns: the providers of the accounts that have moved.
    @discardableResult
    func moveAccounts(
        _ ids: [String]? = nil, of user: UserID, to owner: UserID, resealing reseal: ([UInt8]) -> [UInt8]?,
        now: Timestamp
    ) throws -> [Provider] {
        let accounts = try all(
            "SELECT id, provider, refresh_token FROM auth_accounts WHERE user_id = ?", .text(user.text)
        ) { row in
            (id: row.text(0), provider: try row.case(Provider.self, at: 1), token: row.optionalBlob(2))
        }.filter { ids?.contains($0.id) ?? true }
        for (id, _, token) in accounts {
            try send(
                "UPDATE auth_accounts SET user_id = ?2, refresh_token = ?3, updated_at = ?4 WHERE id = ?1", .text(id),
                .text(owner.text), .optional(token.flatMap(reseal)), .integer(now.milliseconds))
        }
        guard ids == nil || accounts.contains(where: { $0.provider == .apple }) else {
            return accounts.map(\.provider)
        }
        let tasks = try all(
            "SELECT id, secret FROM apple_tasks WHERE user_id = ? AND kind = 'exchange'", .text(user.text)
        ) { row in (id: row.integer(0), secret: row.blob(1)) }
        for (id, secret) in tasks {
            guard let sealed = reseal(secret) else { continue }
            try send(
                "UPDATE apple_tasks SET user_id = ?, secret = ? WHERE id = ?", .text(owner.text), .blob(sealed),
                .integer(id))
        }
        return accounts.map(\.provider)
    }
}
