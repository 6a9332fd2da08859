/// What support asks of the database. Each search has an index, and each page a bounded number of rows.
package protocol SupportStore: Sendable {
    // MARK: Users

    /// The newest first.
    func users(_ query: UserQuery) throws(Refusal) -> [UserRecord]

    func userRecord(_ id: UserID) throws(Refusal) -> UserRecord?

    /// The users whom a text names exactly, and then those whose nickname begins with it, after the one at which the last
    /// page ended.
    func search(
        _ search: SupportSearch, after cursor: NicknameCursor?, limit: Int
    ) throws(Refusal) -> [UserMatch]

    // MARK: The audit trail

    /// The newest first.
    func auditPage(_ selection: AuditSelection) throws(Refusal) -> AuditPage

    /// Records a look at a user, which is no part of another change.
    func record(_ entry: SupportEntry) throws(Refusal)

    // MARK: Acts

    /// Does something to a user, while no other act of support is done: two administrators who act on each other at the same
    /// moment are one after the other, and the second one has lost the role. The actor is read in the transaction, too.
    ///
    /// - Parameter refuse: decides on the actor and the target as they are in the transaction.
    func perform(
        _ act: SupportAct, on target: UserID, by actor: SupportActor, recording entry: SupportEntry,
        unless refuse: @escaping @Sendable (_ actor: User, _ target: User) -> Refusal?
    ) throws(Refusal) -> SupportOutcome

    /// What a merge would do; nil if one of the users does not exist.
    func mergePlan(of user: UserID, into other: UserID, now: Timestamp) throws(Refusal) -> MergePlan?

    /// Merges two users, unless the plan has conflicts.
    ///
    /// - Parameter reseal: encrypts what Apple gave to the one for the other; nil for what cannot be decrypted.
    func merge(
        _ merge: UserMerge, resealing reseal: @escaping Reseal,
        unless refuse: @escaping @Sendable (_ actor: User, _ target: User) -> Refusal?
    ) throws(Refusal) -> (outcome: SupportOutcome, plan: MergePlan?)

    /// Undoes the last merge of a user.
    func unmerge(
        _ user: UserID, by actor: SupportActor, now: Timestamp, resealing reseal: @escaping Reseal,
        unless refuse: @escaping @Sendable (_ actor: User, _ target: User) -> Refusal?
    ) throws(Refusal) -> (outcome: SupportOutcome, merge: RecordedMerge?)

    /// The last merge of a user, if it can still be undone.
    func recordedMerge(of user: UserID, now: Timestamp) throws(Refusal) -> RecordedMerge?

    // MARK: Statistics and deliveries

    /// Sums for each hour, of what is no older than the first one.
    func statistics(from start: Timestamp, to end: Timestamp) throws(Refusal) -> [HourlyCount]

    /// A step of maintenance, once a minute: sums what is some minutes old. True when there is more to count.
    func countStatistics(now: Timestamp) throws(Refusal) -> Bool

    func standings() throws(Refusal) -> Standings

    func events(_ query: EventQuery) throws(Refusal) -> [QueuedEvent]

    func receiverStates() throws(Refusal) -> [ReceiverState]

    /// Makes an event due at once at each receiver that has not been told. Returns how many that are.
    func retry(_ query: EventQuery, now: Timestamp, recording entry: SupportEntry) throws(Refusal) -> Int
}

/// Encrypts a secret that is encrypted for one user for another one.
package typealias Reseal = @Sendable (_ sealed: [UInt8], _ former: UserID, _ owner: UserID) -> [UInt8]?

// MARK: - Searches

/// A text that names users: an id, a phone number, an address, a subject at a provider, or the beginning of a nickname.
package struct SupportSearch: Sendable {
    package let text: String
    /// The spellings of a phone number in E.164.
    package let phones: [String]
    /// The provider that the text names before a colon, and the subject after it.
    package let qualified: (provider: Provider, subject: String)?

    package init(_ text: String) {
        self.text = text
        phones = (try? PhoneNumber(ofAnyKind: text))?.forms ?? []
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        qualified = parts.count == 2 ? Provider(anyCase: parts[0]).map { ($0, parts[1]) } : nil
    }

    /// In the databases `lower` covers A to Z only.
    package var nicknamePrefix: String { text.withLowerASCII }
}

/// Where a page of users with similar nicknames ended.
package struct NicknameCursor: Sendable, Equatable {
    /// With A to Z in lower case.
    package let nickname: String
    package let user: UserID

    package init(nickname: String, user: UserID) {
        (self.nickname, self.user) = (nickname, user)
    }

    /// Reads what `text` has written.
    package init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        self.init(nickname: String(parts[1]), user: UserID(String(parts[0])))
    }

    package var text: String { "\(user.text) \(nickname)" }
}

package struct UserMatch: Sendable {
    package enum Way: String, Sendable, CaseIterable {
        case id
        case phone
        case email
        case subject
        case nickname
    }

    package let record: UserRecord
    /// Nil for a list without a search.
    package let way: Way?

    package init(_ record: UserRecord, by way: Way?) {
        (self.record, self.way) = (record, way)
    }
}

// MARK: - The audit trail

/// Selects entries of the audit trail, a page at a time.
package struct AuditSelection: Sendable, Equatable {
    package var userID: UserID?
    /// The id of an administrator.
    package var actor: String?
    /// Empty for all.
    package var kinds: [AuditEntry.Kind]
    /// The address of a client.
    package var address: String?
    /// Only entries before this one.
    package var before: Int64
    package var limit: Int

    package init(
        userID: UserID? = nil, actor: String? = nil, kinds: [AuditEntry.Kind] = [], address: String? = nil,
        before: Int64 = .max, limit: Int
    ) {
        (self.userID, self.actor, self.kinds, self.address) = (userID, actor, kinds, address)
        (self.before, self.limit) = (before, limit)
    }
}

package struct AuditPage: Sendable, Equatable {
    package let entries: [NumberedEntry]
    /// For the next page; nil if there is none. A page may be empty and have a next one: of a kind that is rare, each page
    /// looks at a limited number of entries.
    package let next: Int64?

    package init(entries: [NumberedEntry], next: Int64?) {
        (self.entries, self.next) = (entries, next)
    }
}

/// An entry of the audit trail with its number, which grows, and what only support has.
package struct NumberedEntry: Sendable, Equatable {
    package let number: Int64
    package let entry: AuditEntry
    package let reason: String?
    package let requestID: String?

    package init(number: Int64, entry: AuditEntry, reason: String?, requestID: String?) {
        (self.number, self.entry, self.reason, self.requestID) = (number, entry, reason, requestID)
    }
}

// MARK: - Statistics

/// How often something happened in an hour.
package struct HourlyCount: Sendable, Equatable {
    /// Hours since 1970.
    package let hour: Int64
    package let series: StatisticSeries
    package let count: Int64

    package init(hour: Int64, series: StatisticSeries, count: Int64) {
        (self.hour, self.series, self.count) = (hour, series, count)
    }
}

package struct StatisticSeries: Sendable, Hashable {
    package enum Name: String, Sendable, CaseIterable {
        case logins
        case refusals
        case sessions
        case users
        case codes
    }

    package let name: Name
    /// A provider, a reason, `opened`, `ended`, `new`, or a provider with `sent`, `used` or `refused`.
    package let key: String

    package init(_ name: Name, _ key: String) {
        (self.name, self.key) = (name, key)
    }
}

/// How many users are no ordinary ones.
package struct Standings: Sendable, Equatable {
    package let administrators: Int
    package let superAdministrators: Int
    package let disabled: Int

    package init(administrators: Int, superAdministrators: Int, disabled: Int) {
        (self.administrators, self.superAdministrators) = (administrators, superAdministrators)
        self.disabled = disabled
    }
}
