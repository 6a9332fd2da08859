import Gatehouse

/// A request as it is played: when it came, the dice it throws, and what the store has answered it so far.
struct Script {
    /// What a store says to a question.
    enum Reply {
        case session(Session?)
        case done(Bool)
        case failure
    }

    let startedAt: Timestamp
    let seed: UInt64
    private(set) var replies: [Reply] = []
    /// How many questions the step being played has asked.
    private var asked = 0
    private(set) var isBrokenOff = false

    init(startedAt: Timestamp, seed: UInt64) {
        self.startedAt = startedAt
        self.seed = seed
    }

    var metFailure: Bool {
        replies.contains { reply in if case .failure = reply { true } else { false } }
    }

    /// The session that an earlier step found where this one asks for it.
    var foundBefore: Session? {
        guard asked < replies.count, case .session(let found) = replies[asked] else { return nil }
        return found
    }

    mutating func begin() {
        (asked, isBrokenOff) = (0, false)
    }

    /// The reply of an earlier step, or nil where this is the question with which the step ends.
    mutating func reply(to question: () -> Reply) -> Reply? {
        defer { asked += 1 }
        if asked < replies.count { return replies[asked] }
        if !isBrokenOff { replies.append(question()) }
        isBrokenOff = true
        return nil
    }
}
