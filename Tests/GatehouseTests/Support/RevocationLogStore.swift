import Gatehouse
import Synchronization

/// A store that implements only the revocation log. The test writes the log.
final class RevocationLogStore: PartialStore {
    private struct State {
        var log: [Revocation] = []
        var counter: UInt64 = 0
        var readCount = 0
    }

    private let state = Mutex(State())

    /// The number of times that the log was read.
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

    func revocations(after place: Int64) throws(Refusal) -> [Revocation] {
        state.withLock { state in
            state.readCount += 1
            return state.log.filter { $0.place > place }
        }
    }

    var revocationCounter: UInt64 { state.withLock { $0.counter } }
}
