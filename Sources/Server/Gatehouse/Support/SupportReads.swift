/// What a page about a user shows.
package struct UserDossier: Sendable {
    package let record: UserRecord
    package let accounts: [LinkedAccount]
    package let sessions: [Session]
    package let history: AuditPage
    package let merge: RecordedMerge?
    /// What the administrator may do to the user now.
    package let acts: [SupportActKind]
}

extension AuthService {
    /// The number of rows of a page.
    package static let supportPage = 50
    /// The longest time that statistics may cover.
    package static let longestStatistics = Duration.seconds(31 * 86_400)

    /// The newest users, or those with a role or status that few have.
    package func users(
        _ query: UserQuery, by administrator: Administrator
    ) throws(Refusal) -> (matches: [UserMatch], next: String?) {
        var query = query
        query.limit = Self.supportPage + 1
        let (page, last) = Self.page(try store.users(query))
        try record(.usersSearched, by: administrator, detail: "list", count: page.count)
        return (page.map { UserMatch($0, by: nil) }, last?.user.id.text)
    }

    package func users(
        _ search: SupportSearch, after cursor: NicknameCursor?, by administrator: Administrator
    ) throws(Refusal) -> (matches: [UserMatch], next: String?) {
        let (page, last) = Self.page(try store.search(search, after: cursor, limit: Self.supportPage + 1))
        // The text is personal data, and the audit trail is kept for long.
        let ways = UserMatch.Way.allCases.filter { way in page.contains { $0.way == way } }.map(\.rawValue)
        try record(
            .usersSearched, by: administrator, detail: ways.isEmpty ? "nothing" : ways.joined(separator: " "),
            count: page.count)
        return (page, last.map { Self.cursor(after: $0).text })
    }

    /// After a page of users whom the text names, the nicknames begin.
    private static func cursor(after match: UserMatch) -> NicknameCursor {
        let user = match.record.user
        return match.way == .nickname
            ? NicknameCursor(nickname: user.nickname?.withLowerASCII ?? "", user: user.id)
            : NicknameCursor(nickname: "", user: UserID(""))
    }

    /// The rows of a page, and its last one if another page follows.
    private static func page<Row>(_ found: [Row]) -> (rows: [Row], last: Row?) {
        let page = Array(found.prefix(supportPage))
        return (page, found.count > supportPage ? page.last : nil)
    }

    /// All that support may know about a user. The look is recorded before it is answered.
    package func dossier(
        of id: UserID, by administrator: Administrator, reason: String?
    ) throws(Refusal) -> UserDossier {
        guard let user = try store.userRecord(id) else { throw .unknownUser }
        try record(.userViewed, of: id, by: administrator, reason: reason)
        let now = platform.now()
        let merge = try store.recordedMerge(of: id, now: now)
        let acts = SupportActKind.allCases.filter { act in
            act != .retry && act != .look && act.applies(to: user.user, isMerged: merge != nil)
                && act.refusal(to: administrator.user, on: user.user) == nil
        }
        return UserDossier(
            record: user, accounts: try store.accounts(of: id), sessions: try store.sessions(of: id, aliveAt: now),
            history: try store.auditPage(AuditSelection(userID: id, limit: Self.supportPage)), merge: merge, acts: acts)
    }

    package func userRecord(_ id: UserID) throws(Refusal) -> UserRecord {
        guard let user = try store.userRecord(id) else { throw .unknownUser }
        return user
    }

    package func auditPage(
        _ selection: AuditSelection, by administrator: Administrator
    ) throws(Refusal) -> AuditPage {
        let page = try store.auditPage(selection)
        try record(.auditViewed, of: selection.userID, by: administrator, reason: nil)
        return page
    }

    package func statistics(from start: Timestamp, to end: Timestamp) throws(Refusal) -> [HourlyCount] {
        try store.statistics(from: start, to: end)
    }

    package func standings() throws(Refusal) -> Standings { try store.standings() }

    package func deadLetters(after number: Int64) throws(Refusal) -> (letters: [QueuedEvent], next: String?) {
        let query = EventQuery(onlyDead: true, after: number, limit: Self.supportPage + 1)
        let (page, last) = Self.page(try store.events(query))
        return (page, last.map { "\($0.number)" })
    }

    package func receiverStates() throws(Refusal) -> [ReceiverState] { try store.receiverStates() }

    package var currentTime: Timestamp { platform.now() }

    /// Sends an event again. Returns to how many receivers.
    package func retryEvent(
        _ id: String, by administrator: Administrator, reason: String
    ) throws(Refusal) -> Int {
        let now = platform.now()
        let entry = SupportActor(administrator, reason: reason).entry(.eventsRetried, at: now, detail: id)
        let count = try store.retry(EventQuery(id: id, limit: 1000), now: now, recording: entry)
        guard count > 0 else { throw .unknownEvent }
        report(.administered(.retry), administrator.requestID)
        return count
    }

    /// Records a look.
    func record(
        _ kind: AuditEntry.Kind, of user: UserID? = nil, by administrator: Administrator, reason: String? = nil,
        detail: String? = nil, count: Int = 1
    ) throws(Refusal) {
        let actor = SupportActor(administrator, reason: reason)
        try store.record(actor.entry(kind, at: platform.now(), of: user, detail: detail, count: count))
        report(.administered(.look), administrator.requestID)
    }
}
