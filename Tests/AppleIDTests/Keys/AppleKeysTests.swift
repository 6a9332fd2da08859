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
        let keys = AppleKeys(policy: KeySetPolicy(mostWaiting: 64), now: now) { [fetches] () throws(KeySetFault) in
            fetches.increment()
            Thread.pause(for: .milliseconds(50))
            guard succeeds else { throw KeySetFault("down") }
            return Genuine.keySet
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
        #expect(Eventually.holds { told.count == 64 - mayHang }, "\(told.count) were told to come back")
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
        let source: KeySource = { () throws(KeySetFault) in
            let next = answers.change { $0.isEmpty ? nil : $0.removeFirst() }
            guard let next else { throw KeySetFault("down") }
            return next
        }
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

    @Test("a crowd that a slow source outlasts is told to come back, and never that there is no such key")
    func impatientCrowd() throws {
        let hanging = Monitor(false)
        let policy = KeySetPolicy(mostWaiting: 2, patience: .milliseconds(100), crowdPatience: .milliseconds(20))
        let keys = AppleKeys(policy: policy, now: now) { [fetches] in
            fetches.increment()
            if fetches.count > 1 { hanging.wait { $0 ? () : nil } }
            return Genuine.keySet
        }
        keys.renewIfDue()
        let fetcher = try Thread.spawn(name: "fetcher") { _ = word(keys, "unknown") }
        #expect(Eventually.holds { fetches.count == 2 })
        let words = try Crowd.of(16) { _ in word(keys, "unknown") }
        #expect(words == Array(repeating: "unavailable", count: 16))
        hanging.change { $0 = true }
        fetcher.join()
        #expect(word(keys, "unknown") == "unknownKey")
    }

    @Test(
        "what each fetch came to is reported, with the reasons for what was left out",
        arguments: [
            (#"{"keys":[]}"#, "no usable key"),
            (
                #"{"keys":[{"kty":"RSA","kid":"a","n":"AQAB","e":"AQAB"}]}"#,
                "no usable key; key 0: unusable key: an RSA key of 17 bits (2048 to 8192 are accepted)"
            ), ("no set", "malformed: not a JSON object with an array of keys"),
        ])
    func reportsFaults(_ document: String, _ fault: String) {
        let reports = Mutex<[KeySetReport]>([])
        let keys = AppleKeys(
            now: { Genuine.moment }, report: { report in reports.withLock { $0.append(report) } },
            source: { Array(document.utf8) })
        #expect(throws: AppleKeys.Fault.unavailable) { try keys.key("a") }
        #expect(reports.withLock { $0 } == [.failed(KeySetFault(fault), age: nil)])
    }

    @Test("a report says how old the set is that goes on serving, and of a bad one no more than a few reasons")
    func reportsAge() {
        let (reports, clock) = (Monitor<[KeySetReport]>([]), Monitor(Genuine.moment))
        let answers = Monitor([Genuine.keySet, Array(#"{"keys":[\#(String(repeating: "{},", count: 99)){}]}"#.utf8)])
        let keys = AppleKeys(
            now: { clock.change { $0 } }, report: { report in reports.change { $0.append(report) } },
            source: { () throws(KeySetFault) in answers.change { $0.removeFirst() } })
        keys.renewIfDue()
        clock.change { $0 = $0 + .seconds(7200) }
        keys.renewIfDue()
        #expect(reports.change { $0.first } == .renewed(usableKeys: 2, skipped: []))
        guard case .failed(let fault, age: .seconds(7200)) = reports.change({ $0.last }) else {
            Issue.record("no failure of a set of two hours")
            return
        }
        #expect(fault.description.count(where: { $0 == ";" }) == 5)
    }
}
