import Gatehouse
import GatehouseServer
import Sockets
import Testing

@testable import FileSystem
@testable import GatehouseCommand

/// The evaluation of facts by the checks of `gatehouse check`.
@Suite("Checks evaluate")
struct CheckEvaluationTests {
    private static let accounts = UserDatabase(
        users: """
            root:x:0:0:root:/root:/bin/bash
            www-data:x:33:33::/var/www:/usr/sbin/nologin
            gatehouse:x:998:998::/:/usr/sbin/nologin
            ann:x:1000:1000::/home/ann:/bin/sh
            """,
        groups: "root:x:0:\nwww-data:x:33:\ngatehouse:x:998:ann\nann:x:1000:\n")
    private static let now = Timestamp(seconds: 1_800_000_000)

    private static func folder(_ owner: UInt32, _ mode: UInt32 = 0o755) -> FileStatus {
        FileStatus(kind: .folder, mode: mode, owner: owner, group: owner)
    }

    private static func file(_ owner: UInt32, _ mode: UInt32 = 0o600, group: UInt32? = nil) -> FileStatus {
        FileStatus(kind: .file, mode: mode, owner: owner, group: group ?? owner)
    }

    @Test("a database by the owner of its folder")
    func database() {
        typealias Facts = DatabaseCheck.Facts
        let check = DatabaseCheck(path: "/var/lib/gatehouse/gatehouse.db", accounts: Self.accounts)
        let (service, other) = (Self.file(998), Self.file(0))
        let good = Facts(folder: Self.folder(998, 0o700), file: service)
        #expect(check.evaluate(good).map(\.grade) == [.ok])
        func faults(_ change: (inout Facts) -> Void) -> [String] {
            var facts = good
            change(&facts)
            let found = check.evaluate(facts)
            #expect(found.allSatisfy { $0.grade == .fault && $0.advice != nil })
            return found.map(\.message)
        }
        #expect(faults { $0.folder = nil } == ["the folder /var/lib/gatehouse does not exist"])
        #expect(faults { $0.file = nil } == ["the database /var/lib/gatehouse/gatehouse.db does not exist"])
        #expect(faults { $0.isRestoreIncomplete = true }.first?.hasPrefix("a restore was interrupted") == true)
        #expect(faults { $0.isReadOnly = true }.first?.contains("read-only") == true)
        #expect(faults { $0.file = other }.first?.hasPrefix("gatehouse cannot read and write") == true)
        #expect(faults { $0.companions = [("x-wal", service), ("x-shm", other)] }.first?.contains("x-shm") == true)
        #expect(faults { $0.folder = Self.folder(998, 0o500) }.first?.hasPrefix("gatehouse cannot write to") == true)
        // Root created the folder by hand.
        #expect(faults { $0.folder = Self.folder(0) }.first?.hasPrefix("gatehouse cannot write to") == true)
        for mode in [0o644, 0o604, 0o606, 0o601] as [UInt32] {
            #expect(
                faults { $0.file = Self.file(998, mode) }.first?.hasPrefix(
                    "other users can read /var/lib/gatehouse/gatehouse.db") == true)
        }
        #expect(check.evaluate(Facts(folder: good.folder, file: Self.file(998, 0o640))).map(\.grade) == [.ok])
    }

    @Test(
        "a disk by its free space",
        arguments: [
            (0, 5000, .fault), (DiskCheck.faultBytes - 1, 5000, .fault), (DiskCheck.faultBytes, 5000, .note),
            (DiskCheck.noteBytes - 1, nil, .note), (DiskCheck.noteBytes, nil, .ok), (.max, 5000, .ok),
            (.max, 15, .fault), (.max, 16, .note), (.max, 999, .note), (.max, 1000, .ok), (.max, 0, .fault),
        ] as [(Int64, Int64?, Finding.Grade)])
    func disk(bytes: Int64, files: Int64?, grade: Finding.Grade) {
        let finding = DiskCheck(folder: "/").evaluate(FileSystemStatus(freeBytes: bytes, freeFiles: files))
        #expect(finding.grade == grade)
        #expect((finding.advice != nil) == (grade != .ok))
    }

    @Test(
        "a clock by times that it cannot be before",
        arguments: [
            (nil, nil, nil, nil, .ok), (nil, nil, nil, true, .ok), (nil, nil, nil, false, .note),
            (86_400, nil, nil, nil, .ok), (86_401, nil, nil, nil, .fault), (-1_000_000, 0, 0, true, .ok),
            (nil, 60, nil, nil, .ok), (nil, 61, nil, nil, .fault), (nil, -1_000_000, nil, nil, .ok),
            (nil, nil, 60, nil, .ok), (nil, nil, 61, nil, .fault), (nil, nil, -60, nil, .ok),
            (nil, nil, -61, nil, .fault),
            (nil, nil, -61, true, .fault),
        ] as [(Int64?, Int64?, Int64?, Bool?, Finding.Grade)])
    func clock(made: Int64?, newest: Int64?, appleTime: Int64?, isSynchronised: Bool?, grade: Finding.Grade) {
        func moment(_ seconds: Int64?) -> Timestamp? { seconds.map { Self.now + .seconds($0) } }
        let facts = ClockCheck.Facts(
            now: Self.now, madeAt: moment(made), newest: moment(newest), appleTime: moment(appleTime),
            isSynchronised: isSynchronised)
        #expect(ClockCheck(database: nil, appleTime: nil).evaluate(facts).grade == grade)
    }

    @Test(
        "a clock by the time that is expected, if Apple does not tell it",
        arguments: [
            (ClockReading(lead: .seconds(30)), nil, .ok), (ClockReading(lead: .seconds(31)), nil, .fault),
            (ClockReading(lead: .seconds(-31)), nil, .fault), (ClockReading(lead: .seconds(86_400)), 0, .ok),
            (ClockReading(lead: .seconds(86_400), isLowerBound: true), nil, .note),
            (ClockReading(lead: .seconds(-86_400), isLowerBound: true), nil, .fault),
        ] as [(ClockReading, Int64?, Finding.Grade)])
    func expectedTime(_ known: ClockReading, appleTime: Int64?, grade: Finding.Grade) {
        let facts = ClockCheck.Facts(now: Self.now, appleTime: appleTime.map { Self.now + .seconds($0) }, known: known)
        #expect(ClockCheck(database: nil, appleTime: nil).evaluate(facts).grade == grade)
    }

    @Test("a time in the future that a wrong clock has written is no fault once Apple confirms the clock")
    func writtenByWrongClock() {
        let facts = ClockCheck.Facts(now: Self.now, newest: Self.now + .seconds(86_400), appleTime: Self.now)
        #expect(ClockCheck(database: nil, appleTime: nil).evaluate(facts).grade == .note)
    }

    @Test(
        "a socket by whether nginx can connect",
        arguments: [
            (0o660, 33, 0o755, []), (0o660, 998, 0o755, ["may not connect"]), (0o666, 998, 0o755, []),
            (0o600, 33, 0o755, ["may not connect"]), (0o640, 33, 0o755, ["may not connect"]),
            (0o660, 33, 0o750, ["cannot reach it: /run/gatehouse"]),
            (0o600, 33, 0o700, ["cannot reach it: /run/gatehouse", "may not connect"]),
        ] as [(UInt32, UInt32, UInt32, [String])])
    func socket(mode: UInt32, group: UInt32, folder: UInt32, faults: [String]) {
        let path = "/run/gatehouse/gatehouse.sock"
        var facts = SocketCheck.Facts(
            status: FileStatus(kind: .socket, mode: mode, owner: 998, group: group),
            parents: [("/", Self.folder(0)), ("/run/gatehouse", Self.folder(998, folder))], outcome: .listening,
            nginx: [Self.accounts.account(named: "www-data")].compactMap { $0 })
        func evaluate(isDevelopment: Bool = false) -> [Finding] {
            SocketCheck(
                listen: .unix(path: path), isDevelopment: isDevelopment, accounts: Self.accounts,
                processes: NginxProcesses(isRunning: false, accounts: [])
            ).evaluate(facts, at: path)
        }
        #expect(evaluate().map(\.grade) == (faults.isEmpty ? [.ok] : faults.map { _ in .fault }))
        for (finding, fault) in zip(evaluate(), faults) { #expect(finding.message.contains(fault)) }
        #expect(evaluate(isDevelopment: true).allSatisfy { $0.grade != .fault })
        facts.outcome = .refused
        #expect(evaluate().first?.grade == .fault)
        facts.status = nil
        #expect(evaluate().map(\.grade) == [.note])
    }

    @Test(
        "a server by its readiness document",
        arguments: [
            (#"{"ready": true, "parts": [{"ready": true, "detail": "a"}]}"#, [.ok("ready")]),
            (
                #"{"ready": false, "parts": [{"ready": true, "detail": "a"}, {"ready": false, "detail": "b"}]}"#,
                [.fault("b", "journalctl -u gatehouse -p warning -n 50")]
            ),
            (
                #"{"ready": false, "parts": []}"#,
                [.fault("not ready, without a reason", "journalctl -u gatehouse -n 50")]
            ),
            ("<html>", [.fault("not ready, without a reason", "journalctl -u gatehouse -n 50")]),
        ] as [(String, [Finding])])
    func server(document: String, findings: [Finding]) {
        let check = ServerCheck(listen: .unix(path: "/run/gatehouse/gatehouse.sock"))
        #expect(check.evaluate(ServerReport(document: Array(document.utf8))) == findings)
    }

    @Test("a secret by who else can read it")
    func secrets() {
        let check = ConfigurationCheck(
            survey: ConfigurationSurvey(of: SettingSource(variables: [:])), accounts: Self.accounts)
        for (mode, group, grade) in [
            (0o600, 0, nil), (0o440, 0, nil), (0o640, 998, .note), (0o644, 0, .fault), (0o602, 0, .fault),
            (0o400, 998, nil),
        ] as [(UInt32, UInt32, Finding.Grade?)] {
            #expect(check.evaluate("DATA_KEY", at: "x", Self.file(0, mode, group: group))?.grade == grade, "\(mode)")
        }
        #expect(check.evaluate("DATA_KEY", at: "x", Self.file(0, 0o644), isReachable: false)?.grade == .note)
    }

    @Test(
        "limits by the need of the workers, and on a server by that of the threads and the connections",
        arguments: [
            (nil, 80, .fault), (nil, 112, .note), (nil, 4191, .note), (nil, 4192, .ok),
            // 64, two threads for each worker, and 2 for each of 100 + 3 connections.
            (100, 293, .fault), (100, 294, .note), (100, 4373, .note), (100, 4374, .ok),
        ] as [(Int?, Int, Finding.Grade)])
    func limits(pool: Int?, most: Int, grade: Finding.Grade) {
        let check = LimitsCheck(workers: 4, need: DescriptorNeed(workers: 4, pool: pool), service: nil)
        for subject in [.server(process: 1), .unit, .command] as [LimitsCheck.Subject] {
            #expect(check.evaluate(most, of: subject).grade == grade)
        }
    }

    @Test(
        "stored keys by their age", arguments: [(0, false), (47, false), (49, true)] as [(Int64, Bool)])
    func keptKeys(hours: Int64, isUseless: Bool) {
        let check = KeySetCheck(url: "https://appleid.apple.com/auth/keys", database: nil, probe: nil)
        let finding = check.evaluate(storedAt: Self.now - .seconds(hours * 3600), now: Self.now)
        #expect(finding?.message.contains("too old") == isUseless)
    }
}
