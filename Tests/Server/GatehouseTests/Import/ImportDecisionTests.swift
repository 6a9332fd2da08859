import Gatehouse
import Testing

@Suite("The decision about an imported user")
struct ImportDecisionTests {
    private static let now = Timestamp(milliseconds: 1_760_000_000_000)
    private static let kept = UserID("user_01J00000000000000000000000")
    private let ada = UserID("user_1")
    private let bob = UserID("user_2")

    private func user(_ change: (inout UserLine) -> Void = { _ in }) throws -> ImportedUser {
        var line = UserLine()
        line.id = Self.kept.text
        for (provider, subject) in [("apple", "001"), ("google", "002")] {
            var identity = IdentityLine()
            (identity.provider, identity.subject) = (provider, subject)
            line.identities.append(identity)
        }
        change(&line)
        return try line.checked(by: ImportRules(permitsRoles: true, now: Self.now))
    }

    private func decide(_ facts: ImportFacts, _ change: (inout UserLine) -> Void = { _ in }) throws -> ImportDecision {
        try user(change).decide(on: facts) { moment in UserID("made \(moment.milliseconds)") }
    }

    private func created(_ decision: ImportDecision) throws -> NewUser {
        let new: NewUser? = if case .create(let new) = decision { new } else { nil }
        return try #require(new)
    }

    @Test("an id that another user has is replaced by one of the time of creation")
    func takenID() throws {
        let decision = try decide(ImportFacts(owners: [nil, nil], statusOfID: .active)) {
            $0.createdAt = "2024-01-01T00:00:00Z"
        }
        #expect(try created(decision).user.id == UserID("made 1704067200000"))
    }

    @Test("one identity that a user has makes the line that user's, and changes nothing")
    func exists() throws {
        #expect(try decide(ImportFacts(owners: [ada, nil])) == .exists(ada))
        #expect(try decide(ImportFacts(owners: [nil, ada], statusOfID: .active)) == .exists(ada))
        #expect(try decide(ImportFacts(owners: [ada, ada], barredFrom: bob)) == .exists(ada))
    }

    @Test("identities of two users, or of a disabled user whose account was removed, are refused")
    func refused() throws {
        for (facts, ids) in [
            (ImportFacts(owners: [ada, bob]), [ada, bob]), (ImportFacts(owners: [nil, nil], barredFrom: bob), [bob]),
        ] {
            guard case .refuse(let fault) = try decide(facts) else {
                Issue.record("\(facts) is accepted")
                continue
            }
            #expect(fault.member == "identities" && ids.allSatisfy { fault.sentence.contains($0.text) })
        }
    }

    @Test("A user who was deleted does not come back by an import")
    func deleted() throws {
        guard case .refuse(let fault) = try decide(ImportFacts(owners: [nil, nil], statusOfID: .deleted)) else {
            Issue.record("the line was accepted")
            return
        }
        #expect("\(fault)".contains("deleted"))
    }
}
