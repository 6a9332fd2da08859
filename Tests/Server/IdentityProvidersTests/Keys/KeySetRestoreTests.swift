import Gatehouse
import IdentityProviders
import JOSE
import Testing

@Suite("Restoring a saved key set")
struct KeySetRestoreTests {
    private let start = ValidLogin.now
    private let policy = KeySetPolicy()
    private let set: JWKSet
    private let empty: JWKSet

    init() throws {
        set = try JWKSet(parsing: ValidLogin.keySet)
        empty = try JWKSet(parsing: ValidLogin.bytes(ofSetWith: []))
    }

    @Test("a saved set is used, renewed and expires like a fetched one")
    func restored() {
        var state = KeySetState(policy: policy)
        let fetchedAt = start - .seconds(3000)
        #expect(state.restore(set, fetchedAt: fetchedAt, now: start) == true)
        #expect(state.age(start) == .seconds(3000))
        #expect(state.result(for: "KEY0000001", at: start) == "KEY0000001")
        #expect(state.startRenewalIfDue(now: start + .seconds(599)) == false)
        #expect(state.result(for: "new", at: start) == "fetch")
        state.finishFetch(nil, now: start)
        #expect(state.result(for: "new", at: start, hasWaited: true) == "unavailable")
        #expect(state.startRenewalIfDue(now: start + .seconds(60)) == true)
        state.finishFetch(nil, now: start + .seconds(60))
        let limit = fetchedAt + .seconds(48 * 3600)
        #expect(state.result(for: "KEY0000001", at: limit - .milliseconds(1)) == "KEY0000001")
        #expect(state.age(limit) == nil)
        #expect(state.result(for: "KEY0000001", at: limit) == "fetch")
    }

    @Test("a saved set that is empty, too old or from the future is not used")
    func notRestored() {
        for (name, saved, fetchedAt) in [
            ("empty", empty, start), ("old", set, start - .seconds(48 * 3600)), ("future", set, start + .seconds(61)),
        ] {
            var state = KeySetState(policy: policy)
            #expect(state.restore(saved, fetchedAt: fetchedAt, now: start) == false, "\(name)")
            #expect(state.age(start) == nil, "\(name)")
            #expect(state.startRenewalIfDue(now: start) == true, "\(name)")
            #expect(state.result(for: "KEY0000001", at: start) == "wait", "\(name)")
        }
    }
}
