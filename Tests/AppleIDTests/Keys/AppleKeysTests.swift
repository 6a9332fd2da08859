import AppleID
import Gatehouse
import JOSE
import POSIX
import Synchronization
import TestSupport
import Testing

@Suite("Apple's keys among threads")
struct AppleKeysTests {
    private let fetches = Counter()
    private let now: @Sendable () -> Timestamp = { Genuine.moment }

    /// What a thread was told.
    private func word(_ keys: AppleKeys, _ name: String) -> String {
        do { return try keys.key(name).keyID ?? "a key without a name" } catch { return "\(error)" }
    }

    @Test("64 threads that want one unknown key cause one fetch")
    func crowd() throws {
        let keys = AppleKeys(policy: KeySetPolicy(mostWaiting: 64), now: now) { [fetches] in
            fetches.increment()
            Thread.pause(for: .milliseconds(50))
            return Genuine.keySet
        }
        let words = try Crowd.of(64) { _ in word(keys, "KEY0000002") }
        #expect(words == Array(repeating: "KEY0000002", count: 64))
        #expect(fetches.count == 1)
        let denials = try Crowd.of(64) { index in word(keys, "unknown-\(index)") }
        #expect(denials == Array(repeating: "unknownKey", count: 64))
        #expect(fetches.count == 1)
    }

    @Test("what a fetch comes to, all who waited for it are told", arguments: [true, false])
    func waitersAreTold(succeeds: Bool) throws {
        let keys = AppleKeys(policy: KeySetPolicy(mostWaiting: 64), now: now) { [fetches] in
            fetches.increment()
            Thread.pause(for: .milliseconds(50))
            return succeeds ? Genuine.keySet : nil
        }
        let words = try Crowd.of(64) { _ in word(keys, "unknown") }
        #expect(words == Array(repeating: succeeds ? "unknownKey" : "unavailable", count: 64))
        #expect(fetches.count == 1)
    }

    @Test("a source that hangs holds no more threads than may wait, and nobody who has a known key")
    func hangingSource() throws {
        let hanging = Monitor(false)
        let held = Counter()
        let policy = KeySetPolicy()
        let keys = AppleKeys(policy: policy, now: now) { [fetches] in
            fetches.increment()
            if fetches.count > 1 { hanging.wait { $0 ? () : nil } }
            return Genuine.keySet
        }
        keys.renewIfDue()
        let askers = try (0..<64).map { index in
            try Thread.spawn(name: "asker") {
                if word(keys, "unknown-\(index)") == "unknownKey" { held.increment() } else { told.increment() }
            }
        }
        let mayHang = policy.mostWaiting + 1
        #expect(eventually { told.count == 64 - mayHang }, "\(told.count) were told at once")
        #expect(word(keys, "KEY0000001") == "KEY0000001")
        keys.renewIfDue()
        #expect(fetches.count == 2)
        #expect(held.count == 0)
        hanging.change { $0 = true }
        for asker in askers { asker.join() }
        #expect(held.count == mayHang)
        #expect(told.count == 64 - mayHang)
    }

    private let told = Counter()

    private func eventually(_ holds: () -> Bool) -> Bool {
        for _ in 0..<500 {
            if holds() { return true }
            Thread.pause(for: .milliseconds(10))
        }
        return holds()
    }

    @Test("a renewal that is due is fetched off the request path, once")
    func renewal() throws {
        let clock = Monitor(Genuine.moment)
        let source: KeySource = { [fetches] in
            fetches.increment()
            return Genuine.keySet
        }
        let keys = AppleKeys(now: { clock.change { $0 } }, source: source)
        _ = try Crowd.of(8) { _ in keys.renewIfDue() }
        #expect(fetches.count == 1)
        clock.change { $0 = $0 + .seconds(3599) }
        keys.renewIfDue()
        #expect(fetches.count == 1)
        clock.change { $0 = $0 + .seconds(1) }
        keys.renewIfDue()
        #expect(fetches.count == 2)
        #expect(word(keys, "KEY0000001") == "KEY0000001")
    }

    @Test("bytes that are no key set replace no good one, and are no answer")
    func brokenBytes() {
        let answers = Monitor([Genuine.keySet])
        let clock = Monitor(Genuine.moment)
        let source: KeySource = { answers.change { $0.isEmpty ? nil : $0.removeFirst() } }
        let keys = AppleKeys(now: { clock.change { $0 } }, source: source)
        keys.renewIfDue()
        for broken in ["", "{", "[]", "{}", #"{"keys":{}}"#, #"{"keys":[]}"#, #"{"keys":[{"kty":"RSA"}]}"#, "<html>"] {
            answers.change { $0 = [Array(broken.utf8)] }
            clock.change { $0 = $0 + .seconds(3600) }
            keys.renewIfDue()
            #expect(answers.change { $0.isEmpty }, "it was fetched")
            #expect(word(keys, "KEY0000001") == "KEY0000001")
            #expect(word(keys, "unknown") == "unavailable")
        }
    }

    @Test("a key of another kind is left out of a good set")
    func unusableKeys() throws {
        let elliptic = try SigningKey.generate(.ES256, keyID: "elliptic")
        let keys = AppleKeys(now: now) { Genuine.bytes(ofSetWith: [elliptic, Genuine.key]) }
        #expect(word(keys, "elliptic") == "unknownKey")
        #expect(word(keys, "KEY0000001") == "KEY0000001")
    }

    @Test(
        "what a fetched set is good for is reported, with the reasons for what was left out",
        arguments: [
            (#"{"keys":[]}"#, 0, 0), (#"{"keys":[{"kty":"RSA","kid":"a","n":"AQAB","e":"AQAB"}]}"#, 0, 1),
            ("no set", 0, 1),
        ])
    func reports(_ document: String, _ usable: Int, _ faults: Int) {
        let reports = Mutex<[KeySetReport]>([])
        let keys = AppleKeys(
            now: { Genuine.moment }, report: { report in reports.withLock { $0.append(report) } },
            source: { Array(document.utf8) })
        #expect(throws: AppleKeys.Fault.unavailable) { try keys.key("a") }
        #expect(reports.withLock { $0.map(\.usableKeys) } == [usable])
        #expect(reports.withLock { $0.map(\.faults.count) } == [faults])
    }
}
