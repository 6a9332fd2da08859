import Gatehouse
package import JSON

// The answers to administrators. They show no token, hash or secret: none of the types has one but `Session`, of which only
// the members below are written.

struct AdministratorBody: ResponseBody {
    let administrator: Administrator
    let record: UserRecord

    func write(to json: inout JSONObjectWriter) {
        json.member("user", object: record.write)
        json.member("maxAgeSeconds", SupportPolicy.longestLogin.wholeSeconds)
        json.member("loginExpiresAt", administrator.loginExpiresAt.description)
        json.member("acr", administrator.demanded.rawValue)
    }
}

extension UserRecord: ResponseBody {
    package func write(to json: inout JSONObjectWriter) {
        user.write(to: &json)
        json.member("createdAt", user.createdAt.description)
        json.member("updatedAt", updatedAt.description)
        json.member("lastLoginAt", lastLoginAt?.description)
        json.member("lastLoginProvider", lastLoginProvider?.rawValue)
        json.member("providers", texts: providers.map(\.rawValue))
    }
}

struct MatchListBody: ResponseBody {
    let page: (matches: [UserMatch], next: String?)

    func write(to json: inout JSONObjectWriter) {
        json.member("users", objects: page.matches) { match, json in
            match.record.write(to: &json)
            json.member("matchedBy", match.way?.rawValue)
        }
        json.member("next", page.next)
    }
}

struct DossierBody: ResponseBody {
    let dossier: UserDossier
    /// The administrator's own session.
    let current: SessionID

    func write(to json: inout JSONObjectWriter) {
        json.member("user", object: dossier.record.write)
        json.member("attributes", json: dossier.record.user.attributes.json)
        json.member("accounts", objects: dossier.accounts) { account, json in
            account.write(to: &json)
            json.member("subject", account.subject)
            json.member("unionSubject", account.unionSubject)
        }
        json.member("sessions", objects: dossier.sessions) { session, json in
            SessionBody(session, current: current).write(to: &json)
            json.member("clientId", session.clientID)
            json.member("expiresAt", session.token.expiresAt.description)
        }
        json.member("events", objects: dossier.history.entries) { $0.write(to: &$1) }
        json.member("nextEvents", dossier.history.next.map { "\($0)" })
        if let merge = dossier.merge {
            json.member("merge", object: merge.write)
        } else {
            json.member("merge", JSONValue.null)
        }
        json.member("acts", texts: dossier.acts.map(\.rawValue))
    }
}

extension RecordedMerge {
    fileprivate func write(to json: inout JSONObjectWriter) {
        json.member("into", other.text)
        json.member("by", actor)
        json.member("mergedAt", moment.description)
        json.member("undoableUntil", undoableUntil.description)
    }
}

// MARK: - The outcome of acts

struct OutcomeBody: ResponseBody {
    let hasChanged: Bool
    let endedSessions: Int
    let record: UserRecord

    func write(to json: inout JSONObjectWriter) {
        json.member("changed", hasChanged)
        json.member("sessionsEnded", endedSessions)
        json.member("user", object: record.write)
    }
}

struct MergeOutcomeBody: ResponseBody {
    let plan: MergePlan
    let user: UserRecord
    let other: UserRecord
    let endedSessions: Int
    /// Nil for a dry run.
    let undoableUntil: Timestamp?

    func write(to json: inout JSONObjectWriter) {
        let (from, to, result) = (plan.user, plan.other.user, plan.result)
        json.member("merged", undoableUntil != nil)
        json.member("user", object: user.write)
        json.member("into", object: other.write)
        json.member(
            "moves",
            object: { json in
                json.member("accounts", texts: from.accounts.map(\.provider.rawValue))
                json.member("email", result.email == to.email ? nil : result.email)
                json.member("phone", from.user.phone)
                json.member("nickname", result.nickname == to.nickname ? nil : result.nickname)
                json.member("avatarUrl", result.avatarURL == to.avatarURL ? nil : result.avatarURL)
            })
        json.member("conflicts", objects: plan.conflicts) { conflict, json in
            json.member("conflict", conflict.name)
            json.member("provider", conflict.provider?.rawValue)
        }
        json.member("sessionsEnded", endedSessions)
        json.member("undoableUntil", undoableUntil?.description)
    }
}

extension MergeConflict {
    fileprivate var provider: Provider? { if case .account(let provider) = self { provider } else { nil } }
}

struct UnmergedBody: ResponseBody {
    let user: UserRecord
    let other: UserRecord
    let accounts: [String]

    func write(to json: inout JSONObjectWriter) {
        json.member("user", object: user.write)
        json.member("into", object: other.write)
        json.member("accounts", texts: accounts)
    }
}

struct RetryBody: ResponseBody {
    let count: Int

    func write(to json: inout JSONObjectWriter) { json.member("events", count) }
}

// MARK: - The audit trail

struct AuditPageBody: ResponseBody {
    let page: AuditPage

    func write(to json: inout JSONObjectWriter) {
        json.member("entries", objects: page.entries) { $0.write(to: &$1) }
        json.member("next", page.next.map { "\($0)" })
    }
}

extension NumberedEntry: ResponseBody {
    package func write(to json: inout JSONObjectWriter) {
        json.member("id", "\(number)")
        json.member("time", entry.moment.description)
        json.member("type", entry.kind.rawValue)
        json.member("actor", entry.actor.rawValue)
        json.member("by", entry.operatorName)
        json.member("userId", entry.userID?.text)
        json.member("sessionId", entry.sessionID?.text)
        json.member("provider", entry.provider?.rawValue)
        json.member("device", entry.device.userAgent)
        json.member("address", entry.device.address)
        json.member("detail", entry.detail)
        json.member("count", entry.count)
        json.member("reason", reason)
        json.member("requestId", requestID)
    }
}

// MARK: - Statistics

struct StatisticsBody: ResponseBody {
    let counts: [HourlyCount]
    let start: Timestamp
    let end: Timestamp
    let step: StatisticStep
    let standings: Standings

    func write(to json: inout JSONObjectWriter) {
        let buckets = Int((end.hour - start.hour + step.hours - 1) / step.hours)
        var series: [StatisticSeries: [Int64]] = [:]
        for count in counts {
            let bucket = Int((count.hour - start.hour) / step.hours)
            if (0..<buckets).contains(bucket) {
                series[count.series, default: Array(repeating: 0, count: buckets)][bucket] += count.count
            }
        }
        // By name, and then the largest first.
        let sorted = series.map { (series: $0, counts: $1, sum: $1.reduce(0, +)) }.sorted { first, second in
            (first.series.name.rawValue, -first.sum, first.series.key)
                < (second.series.name.rawValue, -second.sum, second.series.key)
        }
        json.member("from", start.description)
        json.member("to", end.description)
        json.member("step", step.rawValue)
        json.member("buckets", buckets)
        json.member("series", objects: sorted) { row, json in
            json.member("name", row.series.name.rawValue)
            json.member("key", row.series.key)
            json.member("counts", JSONValue.array(row.counts.map(JSONValue.integer)))
        }
        json.member(
            "users",
            object: { json in
                json.member("admins", standings.administrators)
                json.member("superAdmins", standings.superAdministrators)
                json.member("disabled", standings.disabled)
            })
    }
}

// MARK: - Deliveries

/// What this process knows of providers and gateways.
package struct OutsideStates: Sendable {
    package struct Provider: Sendable {
        package let name: String
        /// Whether the provider has keys that have to be fetched.
        package let hasKeys: Bool
        package let keysAge: Duration?

        package init(name: String, hasKeys: Bool, keysAge: Duration?) {
            (self.name, self.hasKeys, self.keysAge) = (name, hasKeys, keysAge)
        }

        /// Keys are renewed every few hours, and usable for two days.
        fileprivate var state: String {
            guard hasKeys else { return "unknown" }
            guard let keysAge else { return "unavailable" }
            return keysAge > .seconds(86_400) ? "stale" : "ok"
        }
    }

    package struct Gateway: Sendable {
        package let channel: String
        package let isConfigured: Bool
        package let failures: Int
        package let waiting: Int

        package init(channel: String, isConfigured: Bool, failures: Int, waiting: Int) {
            (self.channel, self.isConfigured, self.failures, self.waiting) = (channel, isConfigured, failures, waiting)
        }
    }

    let providers: @Sendable () -> [Provider]
    let gateways: @Sendable () -> [Gateway]

    package init(
        providers: @escaping @Sendable () -> [Provider] = { [] }, gateways: @escaping @Sendable () -> [Gateway] = { [] }
    ) {
        (self.providers, self.gateways) = (providers, gateways)
    }
}

struct DeliveriesBody: ResponseBody {
    let receivers: [ReceiverState]
    let letters: [QueuedEvent]
    let next: String?
    let outside: OutsideStates

    func write(to json: inout JSONObjectWriter) {
        json.member("receivers", objects: receivers) { $0.write(to: &$1) }
        json.member("letters", objects: letters) { $0.writeLetter(to: &$1) }
        json.member("next", next)
        json.member("providers", objects: outside.providers()) { provider, json in
            json.member("name", provider.name)
            json.member("kind", provider.hasKeys ? "keys" : "calls")
            json.member("state", provider.state)
            let age = provider.keysAge?.wholeSeconds
            json.member("keysAgeSeconds", age.map(JSONValue.integer) ?? .null)
        }
        json.member("gateways", objects: outside.gateways()) { gateway, json in
            json.member("channel", gateway.channel)
            json.member("configured", gateway.isConfigured)
            json.member("failuresSinceSuccess", gateway.failures)
            json.member("waiting", gateway.waiting)
        }
    }
}

extension ReceiverState {
    fileprivate func write(to json: inout JSONObjectWriter) {
        json.member("name", subscription.name)
        json.member(
            "types",
            subscription.types.map { .array($0.map(\.rawValue).sorted().map { .string($0) }) } ?? JSONValue.null)
        json.member("waiting", waiting)
        json.member("oldest", oldest?.description)
        json.member("dead", dead)
        json.member("stoppedAt", stoppedAt?.description)
        json.member("seenAt", seenAt.description)
    }
}

extension QueuedEvent {
    fileprivate func writeLetter(to json: inout JSONObjectWriter) {
        json.member("id", id)
        json.member("receiver", receiver)
        json.member("type", event.type.rawValue)
        json.member("userId", event.userID.text)
        json.member("time", event.moment.description)
        json.member("attempts", attempts)
        json.member("deadAt", deadAt?.description)
        json.member("fault", fault)
    }
}

extension JSONObjectWriter {
    fileprivate mutating func member(_ name: String, texts: [String]) {
        member(name, JSONValue.array(texts.map { .string($0) }))
    }
}
