// Merging two users of one person. The accounts of the one move to the other, who also gets what they do not have: address,
// nickname, picture. The one is then deleted. What conflicts is not decided for the person: the merge is refused.

/// An order to merge two users.
package struct UserMerge: Sendable {
    /// The user who goes away.
    package let user: UserID
    /// The user who stays.
    package let other: UserID
    package let actor: SupportActor
    package let moment: Timestamp

    package init(of user: UserID, into other: UserID, by actor: SupportActor, at moment: Timestamp) {
        (self.user, self.other, self.actor, self.moment) = (user, other, actor, moment)
    }

    /// How long a merge can be undone. What is kept for it is personal data, and deleted then.
    package static let undoTime = Duration.seconds(86_400)

    /// The entries of both users.
    package var entries: [SupportEntry] {
        [
            actor.entry(.usersMerged, at: moment, of: user, detail: "into \(other.text)"),
            actor.entry(.usersMerged, at: moment, of: other, detail: "from \(user.text)"),
        ]
    }
}

package enum MergeConflict: Sendable, Equatable {
    /// Both have an account at this provider, and a user has one at most.
    case account(Provider)
    /// One of them is not active: a merge would let a disabled person in again. Or the one who goes away has no account: nothing
    /// would move, and no event could say by which account the user is back when the merge is undone.
    case status
    /// One of them is an administrator, and would share that with the other one's ways to sign in.
    case role
    /// The user who would stay is a guest: the accounts of the other one would make a user of them.
    case guest

    package var name: String {
        switch self {
        case .account: "account"
        case .status: "status"
        case .role: "role"
        case .guest: "guest"
        }
    }
}

/// What a merge does, by the rows of both users.
package struct MergePlan: Sendable {
    package let user: JoinFacts.Party
    package let other: JoinFacts.Party
    /// Sessions of the user that have not ended.
    package let sessions: Int
    package let conflicts: [MergeConflict]
    /// The other user after the merge, but for the phone number, which follows the account.
    package let result: User

    package init(of user: JoinFacts.Party, into other: JoinFacts.Party, sessions: Int) {
        (self.user, self.other, self.sessions) = (user, other, sessions)
        let taken = Set(other.accounts.map(\.provider))
        var conflicts = user.accounts.map(\.provider).filter(taken.contains).map(MergeConflict.account)
        if user.user.status != .active || other.user.status != .active || user.accounts.isEmpty {
            conflicts.append(.status)
        }
        if user.user.role != .user || other.user.role != .user { conflicts.append(.role) }
        if other.user.isGuest { conflicts.append(.guest) }
        self.conflicts = conflicts
        result = other.user.completed(by: user.user)
    }
}

extension User {
    /// With what another user of the same person has, where there was nothing.
    package func completed(by other: User) -> User {
        var user = self
        user.nickname = nickname ?? other.nickname
        user.avatarURL = avatarURL ?? other.avatarURL
        if email == nil, let email = other.email { (user.email, user.emailVerified) = (email, other.emailVerified) }
        return user
    }

    /// Without what a merge has given to the user, unless it has changed since. Undoes `completed`.
    package func uncompleted(to former: User, by other: User) -> User {
        var user = self
        if former.nickname == nil, nickname == other.nickname { user.nickname = nil }
        if former.avatarURL == nil, avatarURL == other.avatarURL { user.avatarURL = nil }
        if former.email == nil, email == other.email { (user.email, user.emailVerified) = (nil, false) }
        return user
    }
}

/// A merge that can be undone.
package struct RecordedMerge: Sendable {
    package let user: UserID
    package let other: UserID
    package let actor: String?
    package let moment: Timestamp
    /// The accounts that have moved. An undone merge names those that have moved back.
    package let accounts: [String]

    package init(of user: UserID, into other: UserID, by actor: String?, at moment: Timestamp, accounts: [String]) {
        (self.user, self.other, self.actor, self.moment) = (user, other, actor, moment)
        self.accounts = accounts
    }

    package var undoableUntil: Timestamp { moment + UserMerge.undoTime }
}

extension AuthService {
    /// What a merge would do. It also refuses what the merge itself would refuse.
    package func mergePlan(
        of user: UserID, into other: UserID, by administrator: Administrator, reason: String?
    ) throws(Refusal) -> MergePlan {
        guard let plan = try store.mergePlan(of: user, into: other, now: platform.now()) else { throw .unknownUser }
        let refusal = [plan.user.user, plan.other.user].compactMap {
            SupportActKind.merge.refusal(to: administrator.user, on: $0)
        }.first
        if let refusal { throw try refused(refusal, to: administrator, on: user, reason: reason) }
        try record(.userViewed, of: user, by: administrator, reason: reason)
        try record(.userViewed, of: other, by: administrator, reason: reason)
        return plan
    }

    package func merge(
        _ user: UserID, into other: UserID, by administrator: Administrator, reason: String
    ) throws(Refusal) -> (plan: MergePlan, undoableUntil: Timestamp, endedSessions: Int) {
        let merge = UserMerge(
            of: user, into: other, by: SupportActor(administrator, reason: reason), at: platform.now())
        let (outcome, plan) = try store.merge(merge, resealing: Self.reseal(by: appleServer?.vault)) { actor, target in
            SupportActKind.merge.refusal(to: actor, on: target)
        }
        let (_, ended) = try accept(outcome, of: .merge, on: user, by: administrator, reason: reason)
        guard let plan else { throw .unknownUser }
        return (plan, merge.moment + UserMerge.undoTime, ended.count)
    }

    package func unmerge(
        _ user: UserID, by administrator: Administrator, reason: String
    ) throws(Refusal) -> RecordedMerge {
        let (outcome, merge) = try store.unmerge(
            user, by: SupportActor(administrator, reason: reason), now: platform.now(),
            resealing: Self.reseal(by: appleServer?.vault)
        ) { actor, target in SupportActKind.unmerge.refusal(to: actor, on: target) }
        _ = try accept(outcome, of: .unmerge, on: user, by: administrator, reason: reason)
        guard let merge else { throw .notMerged }
        return merge
    }

    /// Apple's tokens are encrypted for their owner. Without the key, they are lost with the move, and the user has to
    /// withdraw the app's access at Apple themself.
    package static func reseal(by vault: (any Vault)?) -> Reseal {
        guard let vault else { return { _, _, _ in nil } }
        return { sealed, former, owner in vault.open(sealed, for: former).map { vault.seal($0, for: owner) } }
    }
}
