import Gatehouse
import GatehouseStore

/// Whether the users of test codes are ordinary ones: their codes are known to more people than a secret is.
struct TestCodesCheck: Check {
    let subject = "test codes"
    let addresses: [CodeAddress]
    /// Nil if this user cannot read it.
    let database: (any ExaminedDatabase)?

    func run() -> [Finding] {
        guard let database else { return [.note("not checked: no database that this user can read")] }
        do {
            return [evaluate(try addresses.compactMap { try database.role(of: $0) })]
        } catch {
            return [.note("not checked: \(error)", "see database and schema above")]
        }
    }

    func evaluate(_ roles: [Role]) -> Finding {
        guard let role = roles.max(), role > .user else { return .ok("none of their users has a role") }
        return .fault(
            "a user who signs in with a test code has the role \(role.rawValue)",
            "gatehouse users role ID USER, or remove the code from TEST_CODES")
    }
}
