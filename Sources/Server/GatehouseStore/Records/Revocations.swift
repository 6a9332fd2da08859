import Gatehouse
import SQL

/// The columns of an entry `r` of the revocation log, after its place, in the order in which `Revocation.init(row:)` reads
/// them.
let revocationColumns = "r.moment, r.session_id, r.user_id"

extension Revocation {
    init(row: borrowing any SQLRow & ~Copyable, state: UserState? = nil) {
        let subject: Subject =
            if let session = row.optionalText(2) {
                .session(SessionID(session))
            } else {
                .user(UserID(row.text(3)), state)
            }
        self.init(place: row.integer(0), moment: row.timestamp(1), subject: subject)
    }
}
