import CommandLineTool
import Gatehouse
import GatehouseServer
import GatehouseTokens
import JOSE
import Testing

@testable import GatehouseCommand

/// The writes of `gatehouse keys rotate` without I/O: two files, and a crash at each possible point.
@Suite("The plan of a key rotation")
struct KeyRotationPlanTests {
    private static let start = Timestamp(seconds: 1_795_341_000)

    /// The two files, and the names of new keys.
    private struct Files {
        var current = "old"
        var previous = KeyList()
        var made = 0

        mutating func take(_ step: KeyStep) {
            switch step {
            case .previous(let list): previous = list
            case .current(let text): current = text
            }
        }

        var all: Set<String> { Set(previous.entries.map(\.text) + [current]) }
    }

    private func plan(
        _ key: RotatedKey, _ files: inout Files, at now: Timestamp = start, serverStart: Timestamp? = nil,
        isImmediate: Bool = false, isStolen: Bool = false
    ) throws -> KeyPlan {
        files.made += 1
        let name = "new\(files.made)"
        return try KeyRotation(
            key: key, current: files.current, previous: files.previous, now: now, serverStart: serverStart
        ).plan(isImmediate: isImmediate, isStolen: isStolen) { name }
    }

    @discardableResult
    private func rotate(
        _ key: RotatedKey, _ files: inout Files, at now: Timestamp = start, steps: Int = .max,
        isImmediate: Bool = false, isStolen: Bool = false
    ) throws -> KeyPlan {
        let plan = try plan(key, &files, at: now, isImmediate: isImmediate, isStolen: isStolen)
        for step in plan.steps.prefix(steps) { files.take(step) }
        return plan
    }

    @Test("an interruption after any step loses no key, and running it again finishes", arguments: RotatedKey.allCases)
    func interrupted(key: RotatedKey) throws {
        for published in [false, true] {
            for cut in 0...3 {
                var files = Files()
                if published, key == .signingKey { try rotate(key, &files) }
                let later = Self.start + .seconds(301)
                let before = files.all
                try rotate(key, &files, at: later, steps: cut)
                #expect(files.all.isSuperset(of: before), "\(cut)")
                try rotate(key, &files, at: later + .seconds(301))
                #expect(files.all.isSuperset(of: before), "\(cut)")
                let texts = files.previous.entries.map(\.text)
                #expect(Set(texts).count == texts.count && !texts.contains(files.current), "\(cut): \(texts)")
            }
        }
    }

    @Test("repeating an interrupted rotation counts the old key's time from the second attempt")
    func recordOfSecondAttempt() throws {
        var files = Files()
        try rotate(.accessSecret, &files, steps: 1)
        #expect(files.current == "old" && files.previous.contains("old"))
        let later = Self.start + .seconds(86_400)
        try rotate(.accessSecret, &files, at: later)
        #expect(files.previous.entries == [KeyList.Entry("old", record: .replaced(later))])
    }

    @Test(
        "a stolen key is in no file afterwards, even after an interruption and a second call",
        arguments: RotatedKey.allCases)
    func stolen(key: RotatedKey) throws {
        for published in [false, true] {
            for interrupted in [0, 1, 2] {
                for cut in [1, 2, 3] {
                    var files = Files(previous: KeyList([KeyList.Entry("older", record: .replaced(Self.start))]))
                    if published, key == .signingKey { try rotate(key, &files) }
                    // A rotation that keeps the old key was interrupted before.
                    try rotate(key, &files, at: Self.start + .seconds(301), steps: interrupted, isImmediate: true)
                    let stolen = files.current
                    try rotate(key, &files, at: Self.start + .seconds(301), steps: cut, isStolen: true)
                    if files.all.contains(stolen) { try rotate(key, &files, isStolen: true) }
                    #expect(!files.all.contains(stolen), "\(published) \(interrupted) \(cut): \(files)")
                    #expect(files.previous.contains("older"))
                }
            }
        }
    }

    @Test(
        "the second call is refused until every cache has the next key",
        arguments: [
            (299, nil, false), (300, nil, true), (301, -1, false), (301, 0, true), (301, 2, false), (302, 2, true),
        ] as [(Int64, Int64?, Bool)])
    func early(seconds: Int64, serverStart: Int64?, isReady: Bool) throws {
        var files = Files()
        try rotate(.signingKey, &files)
        let now = Self.start + .seconds(seconds)
        let server = serverStart.map { Self.start + .seconds($0) }
        guard !isReady else {
            #expect(throws: Never.self) { try plan(.signingKey, &files, at: now, serverStart: server) }
            return
        }
        let fault = #expect(throws: CommandError.self) {
            try plan(.signingKey, &files, at: now, serverStart: server)
        }
        #expect(fault?.status == .no && fault?.message.contains("Nothing was changed") == true)
        let immediate = try plan(.signingKey, &files, at: now, serverStart: server, isImmediate: true)
        #expect(immediate.outcome == .replaced)
    }

    @Test(
        "each call needs room: none for a stolen key, two for a signing key, one in its second call; the refusal advises",
        arguments: [
            (key: .accessSecret, count: 16, isStolen: false, isImmediate: false, fits: false),
            (key: .dataKey, count: 16, isStolen: false, isImmediate: false, fits: false),
            (key: .accessSecret, count: 15, isStolen: false, isImmediate: false, fits: true),
            (key: .accessSecret, count: 16, isStolen: true, isImmediate: false, fits: true),
            (key: .signingKey, count: 15, isStolen: false, isImmediate: false, fits: false),
            (key: .signingKey, count: 14, isStolen: false, isImmediate: false, fits: true),
            (key: .signingKey, count: 15, isStolen: false, isImmediate: true, fits: true),
            (key: .signingKey, count: 16, isStolen: false, isImmediate: true, fits: false),
            (key: .signingKey, count: 16, isStolen: true, isImmediate: false, fits: true),
        ] as [(key: RotatedKey, count: Int, isStolen: Bool, isImmediate: Bool, fits: Bool)])
    func places(key: RotatedKey, count: Int, isStolen: Bool, isImmediate: Bool, fits: Bool) throws {
        func full() -> Files { Files(previous: KeyList((1...count).map { KeyList.Entry("p\($0)") })) }
        var files = full()
        guard fits else {
            let fault = #expect(throws: CommandError.self) {
                try rotate(key, &files, isImmediate: isImmediate, isStolen: isStolen)
            }
            #expect(fault?.status == .no && files.previous == full().previous)
            let advice = key == .dataKey ? "keys reseal" : "keys retire \(key.rawValue)"
            #expect(fault?.message.contains(advice) == true)
            return
        }
        try rotate(key, &files, isImmediate: isImmediate, isStolen: isStolen)
        #expect(files.previous.entries.count <= KeyList.maximumCount)
        guard files.current == "old" else { return }
        try rotate(key, &files, at: Self.start + .seconds(300))
        #expect(files.current != "old" && files.previous.entries.count <= KeyList.maximumCount)
    }

    @Test("an interrupted rotation can be finished with a full list", arguments: RotatedKey.allCases)
    func boundOfRepetition(key: RotatedKey) throws {
        for cut in 1...2 {
            var files = Files(previous: KeyList((1...14).map { KeyList.Entry("p\($0)") }))
            try rotate(key, &files)
            let later = Self.start + .seconds(300)
            try rotate(key, &files, at: later, steps: cut)
            #expect(files.previous.entries.count == 16)
            guard cut == 1 || key == .signingKey else { continue }
            try rotate(key, &files, at: later)
            #expect(files.current != "old" && files.previous.contains("old") && files.previous.entries.count <= 16)
        }
    }

    @Test("replacing a stolen signing key also drops the published one")
    func stolenBesidePublished() throws {
        var files = Files()
        try rotate(.signingKey, &files)
        try rotate(.signingKey, &files, at: Self.start + .seconds(301), isStolen: true)
        #expect(files.current == "new2" && files.previous.entries.isEmpty)
    }

    @Test("keys without a record get one")
    func withoutRecord() throws {
        var files = Files(previous: KeyList([KeyList.Entry("older")]))
        try rotate(.accessSecret, &files)
        #expect(files.previous.entries.map(\.record) == [.replaced(Self.start), .replaced(Self.start)])
        try rotate(.accessSecret, &files, at: Self.start + .seconds(60))
        #expect(files.previous.entries.map(\.record) == [60, 0, 0].map { .replaced(Self.start + .seconds($0)) })
    }

    // MARK: Retiring

    private func verdict(
        _ key: RotatedKey, _ entry: KeyList.Entry, after seconds: Int64, serverStart: Int64? = nil,
        fileChanged: Int64 = 0, sealed: [String: Int] = [:]
    ) -> KeyRetirement.Verdict {
        KeyRetirement(
            key: key, tokenLifetimes: (.seconds(900), .seconds(3600)), now: Self.start + .seconds(seconds),
            fileChangedAt: Self.start + .seconds(fileChanged),
            serverStart: serverStart.map { Self.start + .seconds($0) },
            sealedCounts: sealed
        ).evaluate(entry)
    }

    @Test(
        "a key is not needed once its tokens have expired, and not before",
        arguments: [
            (key: .accessSecret, seconds: 959, isOver: false), (key: .accessSecret, seconds: 960, isOver: true),
            (key: .signingKey, seconds: 959, isOver: false), (key: .signingKey, seconds: 960, isOver: true),
            (key: .refreshSecret, seconds: 3659, isOver: false), (key: .refreshSecret, seconds: 3660, isOver: true),
        ] as [(key: RotatedKey, seconds: Int64, isOver: Bool)])
    func over(key: RotatedKey, seconds: Int64, isOver: Bool) {
        let entry = KeyList.Entry("k", record: .replaced(Self.start))
        #expect((verdict(key, entry, after: seconds) == .notNeeded) == isOver)
        #expect((verdict(key, KeyList.Entry("k"), after: seconds) == .notNeeded) == isOver, "by the file's time")
        #expect(verdict(key, KeyList.Entry("k"), after: seconds, fileChanged: 10) != .notNeeded || seconds > 3660)
        #expect((verdict(key, entry, after: seconds, serverStart: 0) == .notNeeded) == isOver)
        #expect(verdict(key, entry, after: seconds, serverStart: -1) != .notNeeded, "the server works with it")
        #expect(verdict(key, KeyList.Entry("k", record: .published(Self.start)), after: 99_999) != .notNeeded)
    }

    @Test("a data key is not needed once no value is sealed with it, whatever the time")
    func dataKeys() throws {
        let bytes = (0..<32).map { UInt8($0) }
        let entry = KeyList.Entry(Base64URL.encode(bytes), record: .replaced(Self.start))
        let id = try DataKey(bytes).id
        #expect(verdict(.dataKey, entry, after: 0) == .notNeeded)
        #expect(verdict(.dataKey, entry, after: 0, sealed: ["02030405": 3]) == .notNeeded)
        #expect(verdict(.dataKey, entry, after: 99_999_999, sealed: [id: 1]) != .notNeeded)
        #expect(verdict(.dataKey, entry, after: 0, serverStart: -1) != .notNeeded)
        #expect(verdict(.dataKey, KeyList.Entry("no key"), after: 0) != .notNeeded)
    }
}
