import Gatehouse
import Synchronization

/// A store that knows nothing but a log of revocations, which a test writes.
final class LogStore: PartialStore {
    private struct State {
        var log: [Revocation] = []
        var sign: UInt64 = 0
        var readings = 0
    }

    private let state = Mutex(State())

    /// How often the log has been read.
    var readings: Int { state.withLock { $0.readings } }

    func append(_ subject: Revocation.Subject, at moment: Timestamp = Timestamp(seconds: 0), signing: Bool = true) {
        state.withLock { state in
            let place = Int64(state.log.count + 1)
            state.log.append(Revocation(place: place, moment: moment, subject: subject))
            if signing { state.sign += 1 }
        }
    }

    func revocations(after place: Int64) throws(StoreFailure) -> [Revocation] {
        state.withLock { state in
            state.readings += 1
            return state.log.filter { $0.place > place }
        }
    }

    var revocationSign: UInt64 { state.withLock { $0.sign } }
}
