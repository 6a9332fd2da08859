import Gatehouse
import GatehouseStore
import GatehouseWeb
import Synchronization
import TestSupport
import Testing

@testable import GatehouseServer

@Suite("Health checks")
struct HealthTests {
    private let start = ContinuousClock.now

    private func description(_ step: StoreProbe.Step) -> String {
        switch step {
        case .run: "run"
        case .known(let failure): failure.map { "failed \($0.cause)" } ?? "success"
        case .overdue(let time): "overdue \(time.components.seconds)"
        }
    }

    @Test("one caller probes at a time, a result is reused for a while, and a long probe is overdue")
    func steps() {
        var probe = StoreProbe(freshness: .seconds(5), timeLimit: .seconds(3))
        func step(_ second: Int) -> String { description(probe.next(now: start + .seconds(second))) }
        #expect(step(0) == "run")
        #expect(step(1) == "overdue 1")
        probe.finished(nil, now: start + .seconds(1))
        #expect(step(5) == "success")
        #expect(step(6) == "run")
        #expect(step(8) == "success")
        #expect(step(9) == "overdue 3")
        #expect(step(60) == "overdue 54")
        probe.finished(StoreFailure("x", cause: .full), now: start + .seconds(60))
        #expect(step(64) == "failed full")
        #expect(step(65) == "run")
    }

    @Test("a later result of another operation replaces the result of a probe")
    func otherOperations() {
        var probe = StoreProbe(freshness: .seconds(5))
        probe.update(WriteOutcome(failure: nil, at: start))
        #expect(description(probe.next(now: start + .seconds(4))) == "success")
        probe.update(WriteOutcome(failure: StoreFailure("x", cause: .busy), at: start + .seconds(4)))
        #expect(description(probe.next(now: start + .seconds(8))) == "failed busy")
        probe.update(WriteOutcome(failure: nil, at: start + .seconds(2)))
        probe.update(nil)
        #expect(description(probe.next(now: start + .seconds(8))) == "failed busy")
        #expect(description(probe.next(now: start + .seconds(9))) == "run")
    }

    /// A store with results that the test sets.
    private final class StoreDouble: ProbedStore {
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

    @Test("a thousand readiness checks cause one write and few reads")
    func manyChecks() throws {
        let store = StoreDouble()
        let health = Health(store: store, keySetAge: { .seconds(180) })
        _ = health.readiness()
        let answers = try Concurrently.run(10) { _ in (0..<100).map { _ in health.readiness().isReady } }
        #expect(answers.joined().allSatisfy { $0 })
        #expect(store.writes.load(ordering: .relaxed) == 1)
        #expect(store.reads.load(ordering: .relaxed) < 20)
    }

    @Test(
        "a report has every part, with advice and without a path", arguments: StoreFailure.Cause.allCases,
        [false, true])
    func parts(_ cause: StoreFailure.Cause, isOnServer: Bool) {
        let store = StoreDouble()
        store.failure.withLock { $0 = StoreFailure("SQLite 14: /var/lib/secret.db", cause: cause) }
        let health = Health(store: store, isOnServer: isOnServer, keySetAge: { nil })
        let readiness = health.readiness()
        #expect(!readiness.isReady)
        let file = isOnServer ? [] : ["store_file"]
        #expect(readiness.parts.map(\.name) == ["store_read", "store_write"] + file + ["apple_keys", "serving"])
        #expect(readiness.parts.filter(\.isReady).map(\.name) == file + ["serving"])
        #expect(readiness.summary.contains(cause.advice(isOnServer: isOnServer)))
        #expect(!readiness.summary.contains("/var"))
        health.markStopping()
        #expect(health.readiness().parts.last?.detail.contains("stopping") == true)
    }

    @Test("a busy database is another process for a file, and locks or connections for a server")
    func busy() {
        let store = StoreDouble()
        store.failure.withLock { $0 = StoreFailure("x", cause: .busy) }
        func advice(isOnServer: Bool) -> String {
            let health = Health(store: store, isOnServer: isOnServer, keySetAge: { nil })
            #expect(health.readiness().summary.contains(health.storeFailure() ?? "none"))
            return health.storeFailure() ?? ""
        }
        #expect(advice(isOnServer: false).contains("find the process that has it open, and end it"))
        let onServer = advice(isOnServer: true)
        #expect(onServer.contains("pg_blocking_pids") && !onServer.contains("end it"))
    }

    @Test("the status probes with a write only if the last write failed")
    func knownFault() {
        let store = StoreDouble()
        let health = Health(store: store, keySetAge: { .seconds(1) })
        #expect(health.knownFault == nil)
        #expect(store.writes.load(ordering: .relaxed) == 0)
        let failure = StoreFailure("x", cause: .full)
        store.failure.withLock { $0 = failure }
        store.outcome.withLock { $0 = WriteOutcome(failure: failure, at: .now - .seconds(60)) }
        #expect(health.knownFault?.contains(StoreFailure.Cause.full.advice(isOnServer: false)) == true)
        #expect(store.writes.load(ordering: .relaxed) == 1)
    }
}
