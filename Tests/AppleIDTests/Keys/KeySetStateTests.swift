import AppleID
import Gatehouse
import JOSE
import Testing

@Suite("When Apple's keys are fetched")
struct KeySetStateTests {
    private let start = Genuine.moment
    private let policy = KeySetPolicy()
    private let set: JWKSet
    private let rotated: JWKSet
    private let empty: JWKSet

    init() throws {
        set = try JWKSet(parsing: Genuine.keySet)
        rotated = try JWKSet(parsing: Genuine.bytes(ofSetWith: [Genuine.secondKey]))
        empty = try JWKSet(parsing: Genuine.bytes(ofSetWith: []))
    }

    /// With a set that was fetched on schedule at the start.
    private func warm() -> KeySetState {
        var state = KeySetState(policy: policy)
        #expect(state.isDue(now: start) == true)
        state.finished(set, now: start)
        return state
    }

    @Test("the first who asks fetches, and finds the key afterwards")
    func coldStart() {
        var state = KeySetState(policy: policy)
        #expect(state.word(for: "KEY0000001", at: start) == "fetch")
        state.finished(set, now: start + .seconds(1))
        #expect(state.word(for: "KEY0000001", at: start + .seconds(1), hasWaited: true) == "KEY0000001")
        #expect(state.word(for: "KEY0000002", at: start + .seconds(1)) == "KEY0000002")
    }

    @Test("a key that is known is answered at once, also while somebody fetches")
    func knownKey() {
        var state = warm()
        #expect(state.word(for: "KEY0000001", at: start) == "KEY0000001")
        #expect(state.word(for: "unknown", at: start) == "fetch")
        #expect(state.isFetching)
        #expect(state.word(for: "KEY0000001", at: start) == "KEY0000001")
    }

    @Test("unknown keys cause one fetch in 30 seconds, whatever their names", arguments: [true, false])
    func cooldown(succeeds: Bool) {
        var state = warm()
        let asked = start + .seconds(100)
        #expect(state.word(for: "unknown-1", at: asked) == "fetch")
        state.finished(succeeds ? set : nil, now: asked + .seconds(2))
        let settled = succeeds ? "unknown" : "unavailable"
        #expect(state.word(for: "unknown-1", at: asked + .seconds(2), hasWaited: true) == settled)
        for second in [2, 3, 15, 29] {
            #expect(state.word(for: "unknown-\(second)", at: asked + .seconds(second)) == settled)
        }
        #expect(state.word(for: "unknown-1", at: asked + .milliseconds(29_999)) == settled)
        #expect(state.word(for: "unknown-1", at: asked + .seconds(30)) == "fetch")
    }

    @Test("with no set at all, failures are counted like successes")
    func coldFailures() {
        var state = KeySetState(policy: policy)
        #expect(state.word(for: "KEY0000001", at: start) == "fetch")
        state.finished(nil, now: start + .seconds(5))
        #expect(state.word(for: "KEY0000001", at: start + .seconds(5), hasWaited: true) == "unavailable")
        #expect(state.word(for: "KEY0000001", at: start + .seconds(29)) == "unavailable")
        #expect(state.word(for: "KEY0000001", at: start + .seconds(30)) == "fetch")
    }

    @Test("who comes during a fetch waits for it: a few to its end, all others until it has lasted a second")
    func waiting() {
        var state = KeySetState(policy: policy)
        #expect(state.word(for: "KEY0000001", at: start) == "fetch")
        for _ in 0..<policy.mostWaiting { #expect(state.word(for: "KEY0000001", at: start) == "wait") }
        for _ in 0..<10 { #expect(state.word(for: "KEY0000001", at: start) == "wait 1000 ms") }
        #expect(state.word(for: "KEY0000001", at: start + .milliseconds(400)) == "wait 600 ms")
        #expect(state.word(for: "KEY0000001", at: start + .milliseconds(999)) == "wait 1 ms")
        for milliseconds in [1000, 1001, 4000] {
            #expect(state.word(for: "KEY0000001", at: start + .milliseconds(milliseconds)) == "unavailable")
        }
        state.finished(set, now: start)
        #expect(state.word(for: "KEY0000001", at: start, hasWaited: true) == "KEY0000001")
        #expect(state.word(for: "unknown", at: start, hasWaited: true) == "unknown")
        let later = start + .seconds(30)
        #expect(state.word(for: "unknown", at: later) == "fetch")
        for _ in 0..<policy.mostWaiting { #expect(state.word(for: "unknown", at: later) == "wait") }
        #expect(state.word(for: "unknown", at: later) == "wait 1000 ms")
    }

    @Test(
        "a few may wait to the end of a fetch also when it has lasted long, and nobody longer with the clock set back")
    func waitingLate() {
        var state = KeySetState(policy: policy)
        #expect(state.isDue(now: start) == true)
        let late = start + .seconds(4)
        for _ in 0..<policy.mostWaiting { #expect(state.word(for: "KEY0000001", at: late) == "wait") }
        #expect(state.word(for: "KEY0000001", at: late) == "unavailable")
        #expect(state.word(for: "KEY0000001", at: start - .seconds(3600)) == "wait 1000 ms")
    }

    @Test("who has waited in vain is told to come back, and not that there is no such key")
    func waitedInVain() {
        var state = warm()
        #expect(state.word(for: "new", at: start) == "fetch")
        #expect(state.word(for: "new", at: start + .seconds(1), hasWaited: true) == "unavailable")
        state.finished(set, now: start + .seconds(2))
        #expect(state.word(for: "new", at: start + .seconds(2), hasWaited: true) == "unknown")
    }

    @Test("who comes during a scheduled fetch waits for that one")
    func waitingForSchedule() {
        var state = KeySetState(policy: policy)
        #expect(state.isDue(now: start) == true)
        #expect(state.word(for: "KEY0000001", at: start) == "wait")
        state.finished(set, now: start)
        #expect(state.word(for: "KEY0000001", at: start, hasWaited: true) == "KEY0000001")
    }

    @Test("a set that is empty or missing replaces no good one")
    func goodSetStays() {
        for (name, fetched) in [("missing", nil), ("empty", empty)] as [(String, JWKSet?)] {
            var state = warm()
            #expect(state.isDue(now: start + .seconds(3600)) == true, "\(name)")
            state.finished(fetched, now: start + .seconds(3600))
            #expect(state.word(for: "KEY0000001", at: start + .seconds(3600)) == "KEY0000001", "\(name)")
            #expect(state.word(for: "gone", at: start + .seconds(3601)) == "fetch", "\(name)")
        }
    }

    @Test("an empty set is no answer: whether Apple has the key is not known then")
    func emptySet() {
        var state = KeySetState(policy: policy)
        #expect(state.word(for: "KEY0000001", at: start) == "fetch")
        state.finished(empty, now: start)
        #expect(state.word(for: "KEY0000001", at: start, hasWaited: true) == "unavailable")
    }

    @Test("after a failed renewal an unknown key is not called unknown, until a renewal succeeds")
    func unknownOrUnavailable() {
        var state = warm()
        #expect(state.word(for: "gone", at: start) == "fetch")
        state.finished(nil, now: start)
        #expect(state.word(for: "gone", at: start + .seconds(1)) == "unavailable")
        #expect(state.isDue(now: start + .seconds(3600)) == true)
        state.finished(set, now: start + .seconds(3600))
        #expect(state.word(for: "gone", at: start + .seconds(3600), hasWaited: true) == "unknown")
    }

    @Test("a set that could not be renewed is believed for 48 hours from its last success, and not a moment longer")
    func staleness() {
        var state = warm()
        let limit = start + .seconds(48 * 3600)
        #expect(state.isDue(now: start + .seconds(3600)) == true)
        state.finished(nil, now: limit - .seconds(1))
        #expect(state.word(for: "KEY0000001", at: limit - .milliseconds(1)) == "KEY0000001")
        #expect(state.word(for: "KEY0000001", at: limit) == "fetch")
        state.finished(nil, now: limit)
        #expect(state.word(for: "KEY0000001", at: limit, hasWaited: true) == "unavailable")
        #expect(state.isDue(now: limit + .seconds(60)) == true)
        state.finished(set, now: limit + .seconds(60))
        #expect(state.word(for: "KEY0000001", at: limit + .seconds(60)) == "KEY0000001")
    }

    @Test("a set is renewed an hour after a success, a minute after a failure, and 5 seconds after where there is none")
    func schedule() {
        var state = KeySetState(policy: policy)
        #expect(state.isDue(now: start) == true)
        #expect(state.isDue(now: start) == false, "one fetch at a time")
        state.finished(nil, now: start + .seconds(5))
        #expect(state.isDue(now: start + .milliseconds(9_999)) == false)
        #expect(state.isDue(now: start + .seconds(10)) == true)
        state.finished(set, now: start + .seconds(11))
        #expect(state.isDue(now: start + .milliseconds(3_610_999)) == false)
        #expect(state.isDue(now: start + .seconds(3611)) == true)
        state.finished(nil, now: start + .seconds(3612))
        #expect(state.isDue(now: start + .milliseconds(3_671_999)) == false)
        #expect(state.isDue(now: start + .seconds(3672)) == true)
    }

    @Test("a set that is no longer believed is fetched as urgently as one that never was")
    func urgency() {
        var state = warm()
        let limit = start + .seconds(48 * 3600)
        #expect(state.isDue(now: limit - .seconds(1)) == true)
        state.finished(nil, now: limit)
        #expect(state.isDue(now: limit + .seconds(4)) == false)
        #expect(state.isDue(now: limit + .seconds(5)) == true)
    }

    @Test("what an earlier process fetched is a set like any other: answers, is renewed in its time, and grows old")
    func restored() {
        var state = KeySetState(policy: policy)
        let fetchedAt = start - .seconds(3000)
        #expect(state.restore(set, fetchedAt: fetchedAt, now: start) == true)
        #expect(state.age(start) == .seconds(3000))
        #expect(state.word(for: "KEY0000001", at: start) == "KEY0000001")
        #expect(state.isDue(now: start + .seconds(599)) == false)
        #expect(state.word(for: "new", at: start) == "fetch")
        state.finished(nil, now: start)
        #expect(state.word(for: "new", at: start, hasWaited: true) == "unavailable")
        #expect(state.isDue(now: start + .seconds(60)) == true)
        state.finished(nil, now: start + .seconds(60))
        let limit = fetchedAt + .seconds(48 * 3600)
        #expect(state.word(for: "KEY0000001", at: limit - .milliseconds(1)) == "KEY0000001")
        #expect(state.age(limit) == nil)
        #expect(state.word(for: "KEY0000001", at: limit) == "fetch")
    }

    @Test("what an earlier process left is not taken where it is empty, too old or of the future")
    func notRestored() {
        for (name, kept, fetchedAt) in [
            ("empty", empty, start), ("old", set, start - .seconds(48 * 3600)), ("future", set, start + .seconds(61)),
        ] {
            var state = KeySetState(policy: policy)
            #expect(state.restore(kept, fetchedAt: fetchedAt, now: start) == false, "\(name)")
            #expect(state.age(start) == nil, "\(name)")
            #expect(state.isDue(now: start) == true, "\(name)")
            #expect(state.word(for: "KEY0000001", at: start) == "wait", "\(name)")
        }
    }

    @Test("a fetch on demand sets the schedule anew, and takes its place while it lasts")
    func demandAndSchedule() {
        var state = warm()
        let asked = start + .seconds(3600)
        #expect(state.word(for: "unknown", at: asked) == "fetch")
        #expect(state.isDue(now: asked) == false)
        state.finished(set, now: asked)
        #expect(state.isDue(now: asked + .seconds(3599)) == false)
        #expect(state.isDue(now: asked + .seconds(3600)) == true)
    }

    @Test("a clock that was set back neither stops renewals nor the search for new keys")
    func clockSetBack() {
        var state = warm()
        #expect(state.word(for: "unknown", at: start) == "fetch")
        state.finished(set, now: start)
        let back = start - .seconds(86_400)
        #expect(state.word(for: "KEY0000001", at: back) == "KEY0000001")
        #expect(state.word(for: "unknown", at: start - .seconds(29)) == "unknown", "a small step changes nothing")
        #expect(state.isDue(now: start) == false)
        #expect(state.age(back) == .zero)
        let farBack = start - .seconds(48 * 3600)
        #expect(state.word(for: "KEY0000001", at: farBack + .milliseconds(1)) == "KEY0000001")
        #expect(state.age(farBack) == nil, "nobody knows how old it is")
        #expect(state.word(for: "unknown", at: back) == "fetch")
        state.finished(nil, now: back)
        #expect(state.isDue(now: back - .seconds(3600)) == true)
        state.finished(set, now: back - .seconds(3600))
        #expect(state.isDue(now: back - .seconds(3600)) == false)
    }

    @Test("when Apple turns its keys over, the new one is found and the old one forgotten")
    func turnover() {
        var state = KeySetState(policy: policy)
        #expect(state.isDue(now: start) == true)
        state.finished(JWKSet.of(Genuine.key), now: start)
        #expect(state.word(for: "KEY0000002", at: start + .seconds(100)) == "fetch")
        state.finished(rotated, now: start + .seconds(101))
        #expect(state.word(for: "KEY0000002", at: start + .seconds(101), hasWaited: true) == "KEY0000002")
        #expect(state.word(for: "KEY0000001", at: start + .seconds(102)) == "unknown")
        #expect(state.word(for: "KEY0000001", at: start + .seconds(130)) == "fetch")
    }
}
