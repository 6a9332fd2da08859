import Gatehouse
import Synchronization

/// A store that implements only the revocation log and the reading of users. The test writes both.
final class RevocationLogStore: PartialStore {
    private struct State {
        var log: [Revocation] = []
        var counter: UInt64 = 0
        var readCount = 0
        var userReadCount = 0
        var user: User?
        var isReadable = true
        var onNextRead: (@Sendable () -> Void)?
    }

    let isShared: Bool

    init(isShared: Bool = false) { self.isShared = isShared }

    private let state = Mutex(State())

    /// The number of attempts to read the log.
    var readCount: Int { state.withLock { $0.readCount } }

    func append(
        _ subject: Revocation.Subject, at moment: Timestamp = Timestamp(seconds: 0), incrementsCounter: Bool = true
    ) {
        state.withLock { state in
            let place = Int64(state.log.count + 1)
            state.log.append(Revocation(place: place, moment: moment, subject: subject))
            if incrementsCounter { state.counter += 1 }
        }
    }

    /// Changes a user without an entry in the log, which another node may not have read yet.
    func set(_ user: User) { state.withLock { $0.user = user } }

    func user(_ id: UserID) throws(Refusal) -> User? {
        try state.withLock { state throws(Refusal) in
            guard state.isReadable else { throw storageFailure }
            state.userReadCount += 1
            return state.user?.id == id ? state.user : nil
        }
    }

    /// The number of times that a user was read.
    var userReadCount: Int { state.withLock { $0.userReadCount } }

    func setReadable(_ isReadable: Bool) { state.withLock { $0.isReadable = isReadable } }

    /// Is called once, when the log has been read and the reader has not got it yet.
    func onNextRead(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.onNextRead = action } }

    func revocations(after place: Int64) throws(Refusal) -> [Revocation] {
        let (found, action) = try state.withLock { state throws(Refusal) in
            state.readCount += 1
            guard state.isReadable else { throw storageFailure }
            defer { state.onNextRead = nil }
            return (state.log.filter { $0.place > place }, state.onNextRead)
        }
        action?()
        return found
    }

    var revocationCounter: UInt64 { state.withLock { $0.counter } }
}
