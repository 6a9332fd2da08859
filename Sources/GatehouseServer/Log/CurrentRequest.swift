import Gatehouse
import POSIX

/// The request that the calling thread is answering, as far as the lines of the log are to tell of it. A thread answers
/// one request at a time, so whatever is written on the way, by whichever part, belongs to that one.
struct CurrentRequest {
    private static let ofThread = ThreadLocal(CurrentRequest())

    private(set) var id: String?
    private(set) var userID: UserID?
    private(set) var sessionID: SessionID?

    /// Nil where the thread answers none: one that looks after the house.
    static var id: String? { ofThread.with { $0.id } }

    static func begin(_ id: String) {
        ofThread.with { $0 = CurrentRequest(id: id) }
    }

    /// Somebody has been found to be who they say.
    static func recognise(_ user: UserID, _ session: SessionID) {
        ofThread.with {
            guard $0.id != nil else { return }
            ($0.userID, $0.sessionID) = (user, session)
        }
    }

    /// On whose behalf it is, as far as that has been proven.
    static var caller: (UserID?, SessionID?) { ofThread.with { ($0.userID, $0.sessionID) } }

    static func end() {
        ofThread.with { $0 = CurrentRequest() }
    }
}
