import Gatehouse
import IdentityProviders
import JOSE
import POSIX
import Testing

@Suite("The saved key set")
struct KeySetArchiveTests {
    private let storage = InMemoryKeySetStorage()
    private let clock = Monitor(ValidLogin.now)
    private let published = Monitor<[UInt8]?>(ValidLogin.keySet)
    private let reports = Monitor<[KeySetReport]>([])
    private let fetches = Counter()

    /// Starts a process.
    private func start(address: String = "https://apple.example/keys") -> ProviderKeys {
        ProviderKeys(
            archive: KeySetArchive(storage, address: .keySet(url: address), of: .apple),
            now: { [clock] in clock.change { $0 } },
            report: { [reports] report, _ in reports.change { $0.append(report) } },
            source: { [published, fetches] () throws(KeySetFault) in
                fetches.increment()
                guard let bytes = published.change({ $0 }) else { throw KeySetFault("down") }
                return bytes
            })
    }

    private func stopKeyServer() { published.change { $0 = nil } }
    private func advance(_ time: Duration) { clock.change { $0 = $0 + time } }
    private var lastReport: KeySetReport? { reports.change { $0.last } }

    @Test("a saved set is used after a restart without a fetch, and renewed at its normal time")
    func restored() {
        start().renewIfDue()
        advance(.seconds(600))
        let keys = start()
        #expect(lastReport == .restored(usableKeys: 2, age: .seconds(600)))
        #expect(keys.result() == "KEY0000001")
        keys.renewIfDue()
        #expect(fetches.count == 1)
        advance(.seconds(3000))
        keys.renewIfDue()
        #expect(fetches.count == 2)
    }

    @Test("a saved set is used until 48 hours after its fetch, however often the server restarts")
    func age() {
        start().renewIfDue()
        stopKeyServer()
        for _ in 0..<4 {
            advance(.seconds(11 * 3600))
            let keys = start()
            keys.renewIfDue()
            #expect(keys.result() == "KEY0000001")
        }
        advance(.seconds(4 * 3600) - .milliseconds(1))
        let keys = start()
        #expect(keys.result() == "KEY0000001")
        #expect(keys.result(for: "KEY0000003") == "unavailable")
        advance(.milliseconds(1))
        #expect(keys.result() == "unavailable")
        #expect(start().result() == "unavailable")
        #expect(reports.change { $0 }.contains(.discarded(KeySetFault("it was fetched at 2025-10-09T08:53:20.000Z"))))
    }

    @Test("the age of a saved set counts from the last fetch, even if the set has not changed")
    func unchanged() {
        let keys = start()
        for _ in 0..<50 {
            keys.renewIfDue()
            advance(.seconds(3600))
        }
        #expect(storage.writes == 50)
        stopKeyServer()
        #expect(start().result() == "KEY0000001")
    }

    @Test("an unchanged set is not saved on each fetch, and a changed one is saved at once")
    func writes() {
        let keys = start()
        keys.renewIfDue()
        for _ in 0..<20 {
            #expect(keys.result(for: "unknown") == "unknownKey")
            advance(.seconds(30))
        }
        #expect(fetches.count == 21)
        #expect(storage.writes == 1)
        published.change { $0 = ValidLogin.bytes(ofSetWith: [ValidLogin.secondKey]) }
        #expect(keys.result(for: "unknown") == "unknownKey")
        #expect(storage.writes == 2)
        stopKeyServer()
        #expect(start().result(for: "KEY0000002") == "KEY0000002")
    }

    @Test("a set is saved again after the clock was set back")
    func clockSetBack() {
        let keys = start()
        keys.renewIfDue()
        advance(.seconds(-7200))
        keys.renewIfDue()
        #expect(storage.writes == 2)
        stopKeyServer()
        #expect(start().result() == "KEY0000001")
    }

    @Test("the name of the saved document does not contain the URL, which may contain a secret")
    func name() {
        start(address: "https://user:hunter2@apple.example/keys?token=hunter3").renewIfDue()
        #expect(storage.names.count == 1)
        for name in storage.names { #expect(!name.contains("hunter") && !name.contains("example")) }
    }

    @Test(
        "a saved set that is not valid is discarded",
        arguments: ["", "{", "[]", #"{"keys":[]}"#, #"{"keys":[{"kty":"RSA"}]}"#, "<html>", "\u{0}"])
    func invalid(_ content: String) throws {
        try save(Array(content.utf8), at: ValidLogin.now)
        stopKeyServer()
        let keys = start()
        guard case .discarded = lastReport else {
            Issue.record("the discarded set was not reported")
            return
        }
        #expect(keys.result() == "unavailable")
        published.change { $0 = ValidLogin.keySet }
        advance(.seconds(5))
        keys.renewIfDue()
        #expect(keys.result() == "KEY0000001")
    }

    @Test(
        "a saved set that is too old or from the future is discarded",
        arguments: [
            (-48 * 3600, false), (-49 * 3600, false), (-48 * 3600 + 1, true), (0, true), (60, true), (61, false),
            (3600, false), (.max, false), (.min, false),
        ] as [(Int64, Bool)])
    func fetchTimes(_ seconds: Int64, _ isUsed: Bool) throws {
        let fetchedAt =
            switch seconds {
            case .min, .max: Timestamp(milliseconds: seconds)
            default: ValidLogin.now + .seconds(seconds)
            }
        try save(ValidLogin.keySet, at: fetchedAt)
        stopKeyServer()
        #expect(start().result() == (isUsed ? "KEY0000001" : "unavailable"))
    }

    @Test("a failing store does not stop logins, and the set is saved when the store works again")
    func failingStore() {
        storage.fails = true
        let keys = start()
        keys.renewIfDue()
        #expect(keys.result() == "KEY0000001")
        storage.fails = false
        advance(.seconds(30))
        #expect(keys.result(for: "unknown") == "unknownKey")
        #expect(storage.writes == 1)
        stopKeyServer()
        #expect(start().result() == "KEY0000001")
    }

    @Test("a saved set is never replaced by one without a usable key")
    func unusableSetIsNotSaved() {
        let keys = start()
        keys.renewIfDue()
        for broken in ["", #"{"keys":[]}"#, "<html>"] {
            published.change { $0 = Array(broken.utf8) }
            advance(.seconds(3600))
            keys.renewIfDue()
        }
        #expect(storage.writes == 1)
        #expect(start().result() == "KEY0000001")
    }

    private func save(_ content: [UInt8], at time: Timestamp) throws {
        let name = KeySetArchive.name(for: .keySet(url: "https://apple.example/keys"), of: .apple)
        storage.save(Document(content: content, updatedAt: time), as: name)
    }
}
