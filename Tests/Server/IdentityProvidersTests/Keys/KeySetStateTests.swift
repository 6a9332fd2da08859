import Gatehouse
import IdentityProviders
import JOSE
import Testing

@Suite("When Apple's keys are fetched")
struct KeySetStateTests {
    private let start = ValidLogin.now
    private let policy = KeySetPolicy()
    private let set: JWKSet
    private let empty: JWKSet

    init() throws {
        set = try JWKSet(parsing: ValidLogin.keySet)
        empty = try JWKSet(parsing: ValidLogin.bytes(ofSetWith: []))
    }

    /// With a set that was fetched at the start.
    private func warm() -> KeySetState {
        var state = KeySetState(policy: policy)
        #expect(state.startRenewalIfDue(now: start) == true)
        state.finishFetch(set, now: start)
        return state
    }

    @Test("unknown keys cause one fetch in 30 seconds, whatever their ids", arguments: [true, false])
    func cooldown(succeeds: Bool) {
        var state = warm()
        let time = start + .seconds(100)
        #expect(state.result(for: "unknown-1", at: time) == "fetch")
        state.finishFetch(succeeds ? set : nil, now: time + .seconds(2))
        let settled = succeeds ? "unknown" : "unavailable"
        #expect(state.result(for: "unknown-1", at: time + .seconds(2), hasWaited: true) == settled)
        for second in [2, 3, 15, 29] {
            #expect(state.result(for: "unknown-\(second)", at: time + .seconds(second)) == settled)
        }
        #expect(state.result(for: "unknown-1", at: time + .milliseconds(29_999)) == settled)
        #expect(state.result(for: "unknown-1", at: time + .seconds(30)) == "fetch")
    }

    @Test("without a set, a failed fetch starts the cooldown as well")
    func coldFailures() {
        var state = KeySetState(policy: policy)
        #expect(state.result(for: "KEY0000001", at: start) == "fetch")
        state.finishFetch(nil, now: start + .seconds(5))
        #expect(state.result(for: "KEY0000001", at: start + .seconds(5), hasWaited: true) == "unavailable")
        #expect(state.result(for: "KEY0000001", at: start + .seconds(29)) == "unavailable")
        #expect(state.result(for: "KEY0000001", at: start + .seconds(30)) == "fetch")
    }

    @Test("during a fetch, a few lookups wait until it ends, and all others until it has lasted a second")
    func waiting() {
        var state = KeySetState(policy: policy)
        #expect(state.result(for: "KEY0000001", at: start) == "fetch")
        for _ in 0..<policy.maximumWaiters { #expect(state.result(for: "KEY0000001", at: start) == "wait") }
        for _ in 0..<10 { #expect(state.result(for: "KEY0000001", at: start) == "wait 1000 ms") }
        #expect(state.result(for: "KEY0000001", at: start + .milliseconds(400)) == "wait 600 ms")
        #expect(state.result(for: "KEY0000001", at: start + .milliseconds(999)) == "wait 1 ms")
        for milliseconds in [1000, 1001, 4000] {
            #expect(state.result(for: "KEY0000001", at: start + .milliseconds(milliseconds)) == "unavailable")
        }
        state.finishFetch(set, now: start)
        #expect(state.result(for: "KEY0000001", at: start, hasWaited: true) == "KEY0000001")
        #expect(state.result(for: "unknown", at: start, hasWaited: true) == "unknown")
        let later = start + .seconds(30)
        #expect(state.result(for: "unknown", at: later) == "fetch")
        for _ in 0..<policy.maximumWaiters { #expect(state.result(for: "unknown", at: later) == "wait") }
        #expect(state.result(for: "unknown", at: later) == "wait 1000 ms")
    }

    @Test(
        "the wait timeouts hold for a fetch that has lasted long, and after the clock was set back")
    func waitingLate() {
        var state = KeySetState(policy: policy)
        #expect(state.startRenewalIfDue(now: start) == true)
        let late = start + .seconds(4)
        for _ in 0..<policy.maximumWaiters { #expect(state.result(for: "KEY0000001", at: late) == "wait") }
        #expect(state.result(for: "KEY0000001", at: late) == "unavailable")
        #expect(state.result(for: "KEY0000001", at: start - .seconds(3600)) == "wait 1000 ms")
    }

    @Test("a lookup that has waited during a fetch in progress is unavailable, not unknown")
    func waitedTooShort() {
        var state = warm()
        #expect(state.result(for: "new", at: start) == "fetch")
        #expect(state.result(for: "new", at: start + .seconds(1), hasWaited: true) == "unavailable")
        state.finishFetch(set, now: start + .seconds(2))
        #expect(state.result(for: "new", at: start + .seconds(2), hasWaited: true) == "unknown")
    }

    @Test("an empty set or a failed fetch does not replace a usable set")
    func usableSetStays() {
        for (name, fetched) in [("missing", nil), ("empty", empty)] as [(String, JWKSet?)] {
            var state = warm()
            #expect(state.startRenewalIfDue(now: start + .seconds(3600)) == true, "\(name)")
            state.finishFetch(fetched, now: start + .seconds(3600))
            #expect(state.result(for: "KEY0000001", at: start + .seconds(3600)) == "KEY0000001", "\(name)")
            #expect(state.result(for: "gone", at: start + .seconds(3601)) == "fetch", "\(name)")
        }
    }

    @Test("after a failed fetch a missing key is unavailable, until a fetch succeeds")
    func unknownOrUnavailable() {
        var state = warm()
        #expect(state.result(for: "gone", at: start) == "fetch")
        state.finishFetch(nil, now: start)
        #expect(state.result(for: "gone", at: start + .seconds(1)) == "unavailable")
        #expect(state.startRenewalIfDue(now: start + .seconds(3600)) == true)
        state.finishFetch(set, now: start + .seconds(3600))
        #expect(state.result(for: "gone", at: start + .seconds(3600), hasWaited: true) == "unknown")
    }

    @Test("a set that could not be renewed is used for 48 hours after its last fetch")
    func staleness() {
        var state = warm()
        let limit = start + .seconds(48 * 3600)
        #expect(state.startRenewalIfDue(now: start + .seconds(3600)) == true)
        state.finishFetch(nil, now: limit - .seconds(1))
        #expect(state.result(for: "KEY0000001", at: limit - .milliseconds(1)) == "KEY0000001")
        #expect(state.result(for: "KEY0000001", at: limit) == "fetch")
        state.finishFetch(nil, now: limit)
        #expect(state.result(for: "KEY0000001", at: limit, hasWaited: true) == "unavailable")
        #expect(state.startRenewalIfDue(now: limit + .seconds(60)) == true)
        state.finishFetch(set, now: limit + .seconds(60))
        #expect(state.result(for: "KEY0000001", at: limit + .seconds(60)) == "KEY0000001")
    }

    @Test(
        "the next fetch is an hour after a success, a minute after a failure, and 5 seconds after a failure without a set"
    )
    func schedule() {
        var state = KeySetState(policy: policy)
        #expect(state.startRenewalIfDue(now: start) == true)
        #expect(state.startRenewalIfDue(now: start) == false, "one fetch at a time")
        state.finishFetch(nil, now: start + .seconds(5))
        #expect(state.startRenewalIfDue(now: start + .milliseconds(9_999)) == false)
        #expect(state.startRenewalIfDue(now: start + .seconds(10)) == true)
        state.finishFetch(set, now: start + .seconds(11))
        #expect(state.startRenewalIfDue(now: start + .milliseconds(3_610_999)) == false)
        #expect(state.startRenewalIfDue(now: start + .seconds(3611)) == true)
        state.finishFetch(nil, now: start + .seconds(3612))
        #expect(state.startRenewalIfDue(now: start + .milliseconds(3_671_999)) == false)
        #expect(state.startRenewalIfDue(now: start + .seconds(3672)) == true)
    }

    @Test("a set that is too old is fetched as urgently as if there were none")
    func urgency() {
        var state = warm()
        let limit = start + .seconds(48 * 3600)
        #expect(state.startRenewalIfDue(now: limit - .seconds(1)) == true)
        state.finishFetch(nil, now: limit)
        #expect(state.startRenewalIfDue(now: limit + .seconds(4)) == false)
        #expect(state.startRenewalIfDue(now: limit + .seconds(5)) == true)
    }

    @Test("a fetch for an unknown key reschedules the renewal, and no renewal starts during it")
    func demandAndSchedule() {
        var state = warm()
        let time = start + .seconds(3600)
        #expect(state.result(for: "unknown", at: time) == "fetch")
        #expect(state.startRenewalIfDue(now: time) == false)
        state.finishFetch(set, now: time)
        #expect(state.startRenewalIfDue(now: time + .seconds(3599)) == false)
        #expect(state.startRenewalIfDue(now: time + .seconds(3600)) == true)
    }

    @Test("renewals and fetches for unknown keys continue after the clock was set back")
    func clockSetBack() {
        var state = warm()
        #expect(state.result(for: "unknown", at: start) == "fetch")
        state.finishFetch(set, now: start)
        let back = start - .seconds(86_400)
        #expect(state.result(for: "KEY0000001", at: back) == "KEY0000001")
        #expect(
            state.result(for: "unknown", at: start - .seconds(29)) == "unknown",
            "the cooldown still holds after a small step")
        #expect(state.startRenewalIfDue(now: start) == false)
        #expect(state.age(back) == .zero)
        let farBack = start - .seconds(48 * 3600)
        #expect(state.result(for: "KEY0000001", at: farBack + .milliseconds(1)) == "KEY0000001")
        #expect(state.age(farBack) == nil, "the age is not known")
        #expect(state.result(for: "unknown", at: back) == "fetch")
        state.finishFetch(nil, now: back)
        #expect(state.startRenewalIfDue(now: back - .seconds(3600)) == true)
        state.finishFetch(set, now: back - .seconds(3600))
        #expect(state.startRenewalIfDue(now: back - .seconds(3600)) == false)
    }
}
