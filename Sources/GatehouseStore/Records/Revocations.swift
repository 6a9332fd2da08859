import Gatehouse
import SQL

/// The columns of an entry `r` of the revocation log and of its user `u`, after its place, in the order in which
/// `Revocation.init(row:)` reads them.
let revocationColumns = """
    r.moment, r.session_id, r.user_id, coalesce(u.role, 'USER'), coalesce(u.status, 'DELETED')
    """

extension Revocation {
    init(row: borrowing any SQLRow & ~Copyable) throws {
        let subject: Subject =
            if let session = row.optionalText(2) {
                .session(SessionID(session))
            } else {
                .user(
                    UserID(row.text(3)),
                    UserState(role: try row.case(Role.self, at: 4), status: try row.case(UserStatus.self, at: 5)))
            }
        self.init(place: row.integer(0), moment: row.timestamp(1), subject: subject)
    }
}
