package import Gatehouse
import Synchronization

/// How this process is: asked by monitors, by an operator, and by the process itself.
package final class Health: Sendable {
    private let store: any ProbedStore
    private let keySetAge: @Sendable () -> Duration?
    private let reading = Mutex(Probe(freshness: .seconds(1)))
    private let writing = Mutex(Probe(freshness: .seconds(5)))
    private let isStopping = Atomic(false)

    package init(store: any ProbedStore, keySetAge: @escaping @Sendable () -> Duration?) {
        self.store = store
        self.keySetAge = keySetAge
    }

    package func noteStopping() { isStopping.store(true, ordering: .relaxed) }

    /// A read of the store, now and by this thread: where the store hangs, so does whoever asks, and that is the answer.
    package func check() throws(StoreFailure) {
        try store.probeReading()
    }

    /// Every part. An idle server finds out by itself whether it could write; a flood of questions costs it no more than
    /// one would.
    package func readiness() -> Readiness {
        let read = attempt(reading) { () throws(StoreFailure) in try store.probeReading() }
        let write = attempt(writing, knowing: store.lastWrite) { () throws(StoreFailure) in try store.probeWriting() }
        return Readiness(parts: [
            storePart("store_read", read, did: "the store can be read", cannot: "the store cannot be read"),
            storePart("store_write", write, did: "the store can be written", cannot: "the last write failed"),
            keySetPart, servingPart,
        ])
    }

    /// What is wrong as far as it is known without trying; nil where nothing is.
    package var complaint: String? {
        // Nobody else may be writing: whether it has healed shows by trying alone.
        guard store.lastWrite?.failure == nil else {
            let readiness = readiness()
            return readiness.isReady ? nil : readiness.complaint
        }
        return keySetAge() == nil ? keySetPart.detail : nil
    }

    private func attempt(
        _ probe: borrowing Mutex<Probe>, knowing news: WriteOutcome? = nil, _ work: () throws(StoreFailure) -> Void
    ) -> Probe.Step {
        let step = probe.withLock { probe in
            probe.learn(news)
            return probe.ask(now: .now)
        }
        guard case .run = step else { return step }
        var failure: StoreFailure?
        do throws(StoreFailure) { try work() } catch { failure = error }
        probe.withLock { [failure] in $0.finished(failure, now: .now) }
        return .known(failure)
    }

    private func storePart(_ name: String, _ step: Probe.Step, did: String, cannot: String) -> Readiness.Part {
        switch step {
        case .known(nil): Readiness.Part(name, isReady: true, did)
        case .known(let failure?): Readiness.Part(name, isReady: false, "\(cannot): \(failure.cause.advice)")
        case .overdue(let time):
            Readiness.Part(
                name, isReady: false,
                "the store has not answered for \(time.inWords): look at the disk, and at who else has the database open"
            )
        case .run: preconditionFailure("what is to be tried has been tried")
        }
    }

    private var keySetPart: Readiness.Part {
        guard let age = keySetAge() else {
            return Readiness.Part(
                "apple_keys", isReady: false,
                "Apple's keys are not at hand, and nobody can sign in with Apple: see that this machine reaches"
                    + " APPLE_JWKS_URL; the log says what came of each try (event apple_keys)")
        }
        return Readiness.Part("apple_keys", isReady: true, "Apple's keys are \(age.inWords) old")
    }

    private var servingPart: Readiness.Part {
        isStopping.load(ordering: .relaxed)
            ? Readiness.Part("serving", isReady: false, "the server is stopping: it answers what is under way")
            : Readiness.Part("serving", isReady: true, "requests are answered")
    }
}
