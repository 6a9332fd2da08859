import Gatehouse
import POSIX

/// The request that a thread is answering, as far as the lines of the log are to tell of it. A thread answers one request
/// at a time, so whatever is written on the way, by whichever part, belongs to that one.
final class CurrentRequest {
    private static let ofThread = ThreadLocal(CurrentRequest())

    /// The calling thread's.
    static var own: CurrentRequest { ofThread.own }

    /// Nil where the thread answers none: one that looks after the house.
    private(set) var id: String?
    // On whose behalf it is, as far as that has been proven.
    private(set) var userID: UserID?
    private(set) var sessionID: SessionID?

    func begin(_ id: String) {
        self.id = id
    }

    /// Somebody has been found to be who they say.
    func recognise(_ user: UserID, _ session: SessionID) {
        guard id != nil else { return }
        userID = user
        sessionID = session
    }

    func end() {
        id = nil
        userID = nil
        sessionID = nil
    }
}
