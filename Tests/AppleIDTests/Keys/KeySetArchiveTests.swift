import AppleID
import Gatehouse
import JOSE
import POSIX
import Testing

@Suite("The last good set")
struct KeySetArchiveTests {
    private let documents = MemoryDocuments()
    private let clock = Monitor(Genuine.moment)
    private let published = Monitor<[UInt8]?>(Genuine.keySet)
    private let reports = Monitor<[KeySetReport]>([])
    private let fetches = Counter()

    /// A process that begins now.
    private func start(address: String = "https://apple.example/keys") -> AppleKeys {
        AppleKeys(
            archive: KeySetArchive(documents, address: address), now: { [clock] in clock.change { $0 } },
            report: { [reports] report in reports.change { $0.append(report) } },
            source: { [published, fetches] () throws(KeySetFault) in
                fetches.increment()
                guard let bytes = published.change({ $0 }) else { throw KeySetFault("down") }
                return bytes
            })
    }

    private func word(_ keys: AppleKeys, _ name: String = "KEY0000001") -> String {
        do { return try keys.key(name).keyID ?? "a key without a name" } catch { return "\(error)" }
    }

    private func goDown() { published.change { $0 = nil } }
    private func advance(_ time: Duration) { clock.change { $0 = $0 + time } }
    private var lastReport: KeySetReport? { reports.change { $0.last } }

    @Test("serves after a restart without a fetch, and is renewed at its normal time")
    func restored() {
        start().renewIfDue()
        advance(.seconds(600))
        let keys = start()
        #expect(lastReport == .restored(usableKeys: 2, age: .seconds(600)))
        #expect(word(keys) == "KEY0000001")
        keys.renewIfDue()
        #expect(fetches.count == 1)
        advance(.seconds(3000))
        keys.renewIfDue()
        #expect(fetches.count == 2)
    }

    @Test("is renewed at once where its time has come while nobody ran")
    func overdue() {
        start().renewIfDue()
        advance(.seconds(3600))
        let keys = start()
        #expect(word(keys) == "KEY0000001")
        keys.renewIfDue()
        #expect(fetches.count == 2)
        #expect(lastReport == .renewed(usableKeys: 2, skipped: []))
    }

    @Test("is believed for 48 hours from its fetch, however often one starts, and not a moment longer")
    func age() {
        start().renewIfDue()
        goDown()
        for _ in 0..<4 {
            advance(.seconds(11 * 3600))
            let keys = start()
            keys.renewIfDue()
            #expect(word(keys) == "KEY0000001")
        }
        advance(.seconds(4 * 3600) - .milliseconds(1))
        let keys = start()
        #expect(word(keys) == "KEY0000001")
        #expect(word(keys, "KEY0000003") == "unavailable")
        advance(.milliseconds(1))
        #expect(word(keys) == "unavailable")
        #expect(word(start()) == "unavailable")
        #expect(reports.change { $0 }.contains(.discarded(KeySetFault("it was fetched at 2025-10-09T08:53:20.000Z"))))
    }

    @Test("counts its time from the last fetch also where nothing has changed since the first")
    func unchanged() {
        let keys = start()
        for _ in 0..<50 {
            keys.renewIfDue()
            advance(.seconds(3600))
        }
        #expect(documents.writes == 50)
        goDown()
        #expect(word(start()) == "KEY0000001")
    }

    @Test("is not written again and again where nothing has changed, and at once where something has")
    func writes() {
        let keys = start()
        keys.renewIfDue()
        for _ in 0..<20 {
            #expect(word(keys, "unknown") == "unknownKey")
            advance(.seconds(30))
        }
        #expect(fetches.count == 21)
        #expect(documents.writes == 1)
        published.change { $0 = Genuine.bytes(ofSetWith: [Genuine.secondKey]) }
        #expect(word(keys, "unknown") == "unknownKey")
        #expect(documents.writes == 2)
        goDown()
        #expect(word(start(), "KEY0000002") == "KEY0000002")
    }

    @Test("is replaced after the clock was set back, or it would be one of the future")
    func clockSetBack() {
        let keys = start()
        keys.renewIfDue()
        advance(.seconds(-7200))
        keys.renewIfDue()
        #expect(documents.writes == 2)
        goDown()
        #expect(word(start()) == "KEY0000001")
    }

    @Test("of another address is not believed")
    func otherAddress() {
        start(address: "http://127.0.0.1:8444/auth/keys").renewIfDue()
        goDown()
        #expect(word(start()) == "unavailable")
        #expect(word(start(address: "http://127.0.0.1:8444/auth/keys")) == "KEY0000001")
    }

    @Test("is not known by the name of its address, which may hold a secret")
    func name() {
        start(address: "https://user:hunter2@apple.example/keys?token=hunter3").renewIfDue()
        #expect(documents.names.count == 1)
        for name in documents.names { #expect(!name.contains("hunter") && !name.contains("example")) }
    }

    @Test(
        "is as good as none where it is broken",
        arguments: ["", "{", "[]", #"{"keys":[]}"#, #"{"keys":[{"kty":"RSA"}]}"#, "<html>", "\u{0}"])
    func broken(_ content: String) throws {
        try keep(Array(content.utf8), at: Genuine.moment)
        goDown()
        let keys = start()
        guard case .discarded = lastReport else {
            Issue.record("it was not reported")
            return
        }
        #expect(word(keys) == "unavailable")
        published.change { $0 = Genuine.keySet }
        advance(.seconds(5))
        keys.renewIfDue()
        #expect(word(keys) == "KEY0000001")
    }

    @Test(
        "is as good as none where it is too old or of the future",
        arguments: [
            (-48 * 3600, false), (-49 * 3600, false), (-48 * 3600 + 1, true), (0, true), (60, true), (61, false),
            (3600, false), (.max, false), (.min, false),
        ] as [(Int64, Bool)])
    func moments(_ seconds: Int64, _ isBelieved: Bool) throws {
        let moment =
            switch seconds {
            case .min, .max: Timestamp(milliseconds: seconds)
            default: Genuine.moment + .seconds(seconds)
            }
        try keep(Genuine.keySet, at: moment)
        goDown()
        #expect(word(start()) == (isBelieved ? "KEY0000001" : "unavailable"))
    }

    @Test("that cannot be written or read harms nothing, and is written once it can be")
    func failingStore() {
        documents.fails = true
        let keys = start()
        keys.renewIfDue()
        #expect(word(keys) == "KEY0000001")
        documents.fails = false
        advance(.seconds(30))
        #expect(word(keys, "unknown") == "unknownKey")
        #expect(documents.writes == 1)
        goDown()
        #expect(word(start()) == "KEY0000001")
    }

    @Test("is never replaced by one without a usable key")
    func goodSetStays() {
        let keys = start()
        keys.renewIfDue()
        for broken in ["", #"{"keys":[]}"#, "<html>"] {
            published.change { $0 = Array(broken.utf8) }
            advance(.seconds(3600))
            keys.renewIfDue()
        }
        #expect(documents.writes == 1)
        #expect(word(start()) == "KEY0000001")
    }

    private func keep(_ content: [UInt8], at moment: Timestamp) throws {
        let name = KeySetArchive.name(for: "https://apple.example/keys")
        try documents.keep(Document(content: content, updatedAt: moment), as: name)
    }
}
