import Gatehouse
import IdentityProviders
import JOSE
import JSON
import POSIX
import Synchronization
import TestSupport
import Testing

@Suite("Apple's keys, used by several threads")
struct ProviderKeysTests {
    private let fetches = Counter()
    private let refused = Counter()
    private let now: @Sendable () -> Timestamp = { ValidLogin.now }

    /// On a busy machine, it takes long until all threads have started.
    private static func patientPolicy(maximumWaiters: Int? = nil) -> KeySetPolicy {
        var policy = maximumWaiters.map { KeySetPolicy(maximumWaiters: $0) } ?? KeySetPolicy()
        policy.waitTimeout = .seconds(60)
        return policy
    }

    @Test(
        "64 threads that look up the same unfetched key cause one fetch, and all get its result",
        arguments: [
            ("KEY0000002", true, "KEY0000002"), ("unknown", true, "unknownKey"), ("unknown", false, "unavailable"),
        ])
    func crowd(name: String, succeeds: Bool, expected: String) throws {
        let started = Counter()
        let policy = Self.patientPolicy(maximumWaiters: 64)
        let keys = ProviderKeys(policy: policy, now: now) { [fetches] () throws(KeySetFault) in
            fetches.increment()
            _ = Eventually.holds { started.count == 64 }
            guard succeeds else { throw KeySetFault("down") }
            return ValidLogin.keySet
        }
        let results = try Concurrently.run(64) { _ in
            started.increment()
            return keys.result(for: name)
        }
        #expect(results == Array(repeating: expected, count: 64))
        #expect(fetches.count == 1)
    }

    @Test("a source that hangs blocks only the permitted number of threads, and no lookup of a known key")
    func hangingSource() throws {
        let hanging = Monitor(false)
        let blocked = Counter()
        let policy = Self.patientPolicy()
        let keys = ProviderKeys(policy: policy, now: now) { [fetches] in
            fetches.increment()
            if fetches.count > 1 { hanging.wait { $0 ? () : nil } }
            return ValidLogin.keySet
        }
        keys.renewIfDue()
        let threads = try (0..<64).map { index in
            try Thread.spawn(name: "lookup") {
                if keys.result(for: "unknown-\(index)") == "unknownKey" {
                    blocked.increment()
                } else {
                    refused.increment()
                }
            }
        }
        let permitted = policy.maximumWaiters + 1
        #expect(Eventually.holds { refused.count == 64 - permitted }, "\(refused.count) were refused")
        #expect(keys.result(for: "KEY0000001") == "KEY0000001")
        keys.renewIfDue()
        #expect(fetches.count == 2)
        #expect(blocked.count == 0)
        hanging.change { $0 = true }
        for thread in threads { thread.join() }
        #expect(blocked.count == permitted)
        #expect(refused.count == 64 - permitted)
    }

    @Test("a renewal that is due causes one fetch")
    func renewal() throws {
        let clock = Monitor(ValidLogin.now)
        let source: KeySource = { [fetches] in
            fetches.increment()
            return ValidLogin.keySet
        }
        let keys = ProviderKeys(now: { clock.change { $0 } }, source: source)
        _ = try Concurrently.run(8) { _ in keys.renewIfDue() }
        #expect(fetches.count == 1)
        clock.change { $0 = $0 + .seconds(3599) }
        keys.renewIfDue()
        #expect(fetches.count == 1)
        clock.change { $0 = $0 + .seconds(1) }
        keys.renewIfDue()
        #expect(fetches.count == 2)
        #expect(keys.result(for: "KEY0000001") == "KEY0000001")
    }

    @Test("an answer that is not a key set does not replace a usable set")
    func brokenBytes() {
        let answers = Monitor([ValidLogin.keySet])
        let clock = Monitor(ValidLogin.now)
        let source: KeySource = { () throws(KeySetFault) in
            let next = answers.change { $0.isEmpty ? nil : $0.removeFirst() }
            guard let next else { throw KeySetFault("down") }
            return next
        }
        let keys = ProviderKeys(now: { clock.change { $0 } }, source: source)
        keys.renewIfDue()
        for broken in [
            "", "{", "[]", "{}", #"{"keys":{}}"#, #"{"keys":[]}"#, #"{"keys":[{"kty":"RSA"}]}"#, "<html>",
            #"{"keys":[null,{},[],7]}"#, "\u{0}",
        ] {
            answers.change { $0 = [Array(broken.utf8)] }
            clock.change { $0 = $0 + .seconds(3600) }
            keys.renewIfDue()
            #expect(answers.change { $0.isEmpty }, "the answer was fetched")
            #expect(keys.result(for: "KEY0000001") == "KEY0000001")
            #expect(keys.result(for: "unknown") == "unavailable")
        }
    }

    @Test("a key of another type is left out of the set")
    func unusableKeys() throws {
        let elliptic = try SigningKey.generate(.ES256, keyID: "elliptic")
        let keys = ProviderKeys(now: now) { ValidLogin.bytes(ofSetWith: [elliptic, ValidLogin.key]) }
        #expect(keys.result(for: "elliptic") == "unknownKey")
        #expect(keys.result(for: "KEY0000001") == "KEY0000001")
    }

    @Test("threads beyond the permitted number get the error for an unavailable key, never for an unknown one")
    func shortWait() throws {
        let hanging = Monitor(false)
        var policy = KeySetPolicy(maximumWaiters: 2)
        policy.waitTimeout = .milliseconds(100)
        policy.shortWaitTimeout = .milliseconds(20)
        let keys = ProviderKeys(policy: policy, now: now) { [fetches] in
            fetches.increment()
            if fetches.count > 1 { hanging.wait { $0 ? () : nil } }
            return ValidLogin.keySet
        }
        keys.renewIfDue()
        let fetcher = try Thread.spawn(name: "fetcher") { _ = keys.result(for: "unknown") }
        #expect(Eventually.holds { fetches.count == 2 })
        let results = try Concurrently.run(16) { _ in keys.result(for: "unknown") }
        #expect(results == Array(repeating: "unavailable", count: 16))
        hanging.change { $0 = true }
        fetcher.join()
        #expect(keys.result(for: "unknown") == "unknownKey")
    }

    @Test(
        "a failed fetch is reported with the reasons for which keys were left out",
        arguments: [
            (#"{"keys":[]}"#, "no usable key"),
            (
                #"{"keys":[{"kty":"RSA","kid":"a","n":"AQAB","e":"AQAB"}]}"#,
                "no usable key; key 0: unusable key: an RSA key of 17 bits (2048 to 8192 are accepted)"
            ), ("no set", "malformed: not a JSON object with an array of keys"),
        ])
    func reportsFaults(_ document: String, _ fault: String) {
        let reports = Mutex<[KeySetReport]>([])
        let keys = ProviderKeys(
            now: { ValidLogin.now }, report: { report, _ in reports.withLock { $0.append(report) } },
            source: { Array(document.utf8) })
        #expect(keys.result(for: "a") == "unavailable")
        #expect(reports.withLock { $0 } == [.failed(KeySetFault(fault), age: nil)])
    }

    @Test("a report has the age of the set that stays in use, and at most five reasons")
    func reportsAge() {
        let (reports, clock) = (Monitor<[KeySetReport]>([]), Monitor(ValidLogin.now))
        let answers = Monitor([ValidLogin.keySet, Array(#"{"keys":[\#(String(repeating: "{},", count: 99)){}]}"#.utf8)])
        let keys = ProviderKeys(
            now: { clock.change { $0 } }, report: { report, _ in reports.change { $0.append(report) } },
            source: { () throws(KeySetFault) in answers.change { $0.removeFirst() } })
        keys.renewIfDue()
        clock.change { $0 = $0 + .seconds(7200) }
        keys.renewIfDue()
        #expect(reports.change { $0.first } == .renewed(usableKeys: 2, skipped: []))
        guard case .failed(let fault, age: .seconds(7200)) = reports.change({ $0.last }) else {
            Issue.record("the report is not a failure with a set of two hours")
            return
        }
        #expect(fault.description.count(where: { $0 == ";" }) == 5)
    }

    @Test("a report names the request that caused the fetch, and no request for a background renewal")
    func reportsRequestID() throws {
        let (requestIDs, clock) = (Monitor<[String?]>([]), Monitor(ValidLogin.now))
        let keys = ProviderKeys(
            now: { clock.change { $0 } }, report: { _, requestID in requestIDs.change { $0.append(requestID) } },
            source: { ValidLogin.keySet })
        let logIn = AppleSignIn(rules: .ofTests, keys: keys, replayGrace: .zero)
        let login = IdentityCredential(identityToken: ValidLogin.token)
        for requestID in ["request-1", "request-2"] {
            _ = try logIn.verify(login, now: ValidLogin.now, requestID: requestID)
        }
        #expect(requestIDs.change { $0 } == ["request-1"], "the second login finds the keys")
        clock.change { $0 = $0 + .seconds(3600) }
        keys.renewIfDue()
        #expect(requestIDs.change { $0 } == ["request-1", nil])
        let notification = TestToken.make(
            header: #"{"alg":"RS256","kid":"KEY0000009"}"#, payload: TestNotification.claims.description)
        #expect(throws: Refusal.identity(.unknownKey, by: .apple)) {
            try logIn.verify(notification: notification, now: ValidLogin.now, requestID: "request-3")
        }
        #expect(requestIDs.change { $0 } == ["request-1", nil, "request-3"])
    }
}
