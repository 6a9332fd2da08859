import Gatehouse
import JSON

/// A change of one user's status or role, and how it is told; the commands for it differ in nothing else.
struct UserChange {
    /// The status or role that the user is to have.
    private let goal: String
    private let current: @Sendable (User) -> String
    /// False where nothing was to be done.
    private let make: (Steward, UserID) throws(StoreFailure) -> Bool

    init(to status: UserStatus, _ make: @escaping (Steward, UserID) throws(StoreFailure) -> Bool) {
        goal = status.rawValue
        current = { $0.status.rawValue }
        self.make = make
    }

    init(to role: Role) {
        goal = role.rawValue
        // Nobody has the role of somebody deleted.
        current = { $0.status == .deleted ? $0.status.rawValue : $0.role.rawValue }
        make = { steward, user throws(StoreFailure) in try steward.setRole(role, of: user) }
    }

    /// Makes the change; the server knows of it when this returns. Done is also what was so already.
    func carryOut(on user: UserID, in office: Office) throws(CommandFault) -> Report {
        let changed = try office.ask { steward throws(StoreFailure) in try make(steward, user) }
        let record = try office.user(called: user.text)
        let state = current(record.user)
        guard changed || state == goal else { throw CommandFault(.no, "\(user.text) is \(state)") }
        let text =
            state == goal
            ? "\(user.text) is \(changed ? "now" : "already") \(goal)"
            : "\(user.text) stays \(state), but the same person can sign in again, as a new user"
        return Report(json: ["changed": .bool(changed), "user": record.json], text: text)
    }
}
