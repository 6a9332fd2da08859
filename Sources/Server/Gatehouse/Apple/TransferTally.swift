/// What a run of a step has done so far.
///
/// Apple gives one answer for a user who cannot be moved and for a mistake that concerns all users, such as another team. So
/// refusals are kept only when Apple has moved another user in the same run, or when they are few.
package struct TransferTally: Sendable {
    /// A run ends when Apple has refused this many users and moved none.
    package static let longestStreak = 20

    package private(set) var done = 0
    package private(set) var refused = 0
    package private(set) var conflicts: [(user: UserID, other: UserID)] = []
    private var doubtful: [TransferAccount] = []
    private let holdsRefusalsBack: Bool

    /// - Parameter holdsRefusalsBack: false when the operator asks again about users whom Apple has refused.
    package init(holdsRefusalsBack: Bool = true) {
        self.holdsRefusalsBack = holdsRefusalsBack
    }

    /// Returns the refusals that can be kept now.
    package mutating func add(_ outcome: TransferOutcome, of account: TransferAccount) -> [TransferAccount] {
        switch outcome {
        case .done:
            done += 1
            return takeDoubtful()
        case .conflict(let other):
            conflicts.append((account.userID, other))
            // Apple has answered for this user.
            return takeDoubtful()
        case .gone: return []
        case .refused:
            refused += 1
            doubtful.append(account)
            return done > 0 || !conflicts.isEmpty || !holdsRefusalsBack ? takeDoubtful() : []
        }
    }

    package var refusesAll: Bool { doubtful.count >= Self.longestStreak }

    /// The refusals that are left at the end of a run.
    package mutating func finish() -> [TransferAccount] { refusesAll ? [] : takeDoubtful() }

    private mutating func takeDoubtful() -> [TransferAccount] {
        defer { doubtful = [] }
        return doubtful
    }
}
