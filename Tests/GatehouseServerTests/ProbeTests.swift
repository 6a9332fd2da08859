import Gatehouse
import Synchronization
import TestSupport
import Testing

@testable import GatehouseServer

@Suite("Whether the server is ready")
struct ProbeTests {
    private let start = ContinuousClock.now

    private func description(_ step: Probe.Step) -> String {
        switch step {
        case .run: "run"
        case .known(let failure): failure.map { "failed \($0.cause)" } ?? "well"
        case .overdue(let time): "overdue \(time.components.seconds)"
        }
    }

    @Test("is tried by one at a time, believed for a while, and doubted when the try takes long")
    func steps() {
        var probe = Probe(freshness: .seconds(5), patience: .seconds(3))
        func ask(_ second: Int) -> String { description(probe.ask(now: start + .seconds(second))) }
        #expect(ask(0) == "run")
        #expect(ask(1) == "overdue 1")
        probe.finished(nil, now: start + .seconds(1))
        #expect(ask(5) == "well")
        #expect(ask(6) == "run")
        #expect(ask(8) == "well")
        #expect(ask(9) == "overdue 3")
        #expect(ask(60) == "overdue 54")
        probe.finished(StoreFailure("x", cause: .full), now: start + .seconds(60))
        #expect(ask(64) == "failed full")
        #expect(ask(65) == "run")
    }

    @Test("is known from what others did, if that was later")
    func others() {
        var probe = Probe(freshness: .seconds(5))
        probe.learn(WriteOutcome(failure: nil, at: start))
        #expect(description(probe.ask(now: start + .seconds(4))) == "well")
        probe.learn(WriteOutcome(failure: StoreFailure("x", cause: .busy), at: start + .seconds(4)))
        #expect(description(probe.ask(now: start + .seconds(8))) == "failed busy")
        probe.learn(WriteOutcome(failure: nil, at: start + .seconds(2)))
        probe.learn(nil)
        #expect(description(probe.ask(now: start + .seconds(8))) == "failed busy")
        #expect(description(probe.ask(now: start + .seconds(9))) == "run")
    }

    /// A store that does as it is told.
    private final class Puppet: ProbedStore {
        let failure = Mutex<StoreFailure?>(nil)
        let outcome = Mutex<WriteOutcome?>(nil)
        let reads = Atomic(0)
        let writes = Atomic(0)

        func probeReading() throws(StoreFailure) {
            reads.add(1, ordering: .relaxed)
            if let failure = failure.withLock({ $0 }) { throw failure }
        }

        func probeWriting() throws(StoreFailure) {
            writes.add(1, ordering: .relaxed)
            let failure = failure.withLock { $0 }
            outcome.withLock { $0 = WriteOutcome(failure: failure, at: .now) }
            if let failure { throw failure }
        }

        var lastWrite: WriteOutcome? { outcome.withLock { $0 } }
    }

    @Test("is asked a thousand times for one read and one write")
    func flood() throws {
        let store = Puppet()
        let health = Health(store: store, keySetAge: { .seconds(180) })
        _ = health.readiness()
        let answers = try Crowd.of(10) { _ in (0..<100).map { _ in health.readiness().isReady } }
        #expect(answers.joined().allSatisfy { $0 })
        #expect(store.writes.load(ordering: .relaxed) == 1)
        #expect(store.reads.load(ordering: .relaxed) < 20)
    }

    @Test("is told part by part, each with what to do and without a path", arguments: StoreFailure.Cause.allCases)
    func parts(_ cause: StoreFailure.Cause) {
        let store = Puppet()
        store.failure.withLock { $0 = StoreFailure("SQLite 14: /var/lib/secret.db", cause: cause) }
        let health = Health(store: store, keySetAge: { nil })
        let readiness = health.readiness()
        #expect(!readiness.isReady)
        #expect(readiness.parts.map(\.name) == ["store_read", "store_write", "apple_keys", "serving"])
        #expect(readiness.parts.map(\.isReady) == [false, false, false, true])
        #expect(readiness.complaint.contains(cause.advice))
        #expect(!readiness.complaint.contains("/var"))
        health.noteStopping()
        #expect(health.readiness().parts[3].detail.contains("stopping"))
    }

    @Test("is said in the status without a write, unless the last one failed")
    func complaint() {
        let store = Puppet()
        let health = Health(store: store, keySetAge: { .seconds(1) })
        #expect(health.complaint == nil)
        #expect(store.writes.load(ordering: .relaxed) == 0)
        let failure = StoreFailure("x", cause: .full)
        store.failure.withLock { $0 = failure }
        store.outcome.withLock { $0 = WriteOutcome(failure: failure, at: .now - .seconds(60)) }
        #expect(health.complaint?.contains(StoreFailure.Cause.full.advice) == true)
        #expect(store.writes.load(ordering: .relaxed) == 1)
    }
}
