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
            (bytes: 0, files: 5000, grade: .fault), (bytes: DiskCheck.faultBytes - 1, files: 5000, grade: .fault),
            (bytes: DiskCheck.faultBytes, files: 5000, grade: .note),
            (bytes: DiskCheck.noteBytes - 1, files: nil, grade: .note),
            (bytes: DiskCheck.noteBytes, files: nil, grade: .ok), (bytes: .max, files: 5000, grade: .ok),
            (bytes: .max, files: 15, grade: .fault), (bytes: .max, files: 16, grade: .note),
            (bytes: .max, files: 999, grade: .note), (bytes: .max, files: 1000, grade: .ok),
            (bytes: .max, files: 0, grade: .fault),
        ] as [(bytes: Int64, files: Int64?, grade: Finding.Grade)])
    func disk(bytes: Int64, files: Int64?, grade: Finding.Grade) {
        let finding = DiskCheck(folder: "/").evaluate(FileSystemStatus(freeBytes: bytes, freeFiles: files))
        #expect(finding.grade == grade && (finding.advice != nil) == (grade != .ok))
    }

    /// In seconds after the time of the clock.
    struct OtherTimes {
        var made: Int64?
        var newest: Int64?
        var apple: Int64?
        var isSynchronised: Bool?
    }

    @Test(
        "a clock by times that it cannot be before",
        arguments: [
            (.init(), .ok), (.init(isSynchronised: true), .ok), (.init(isSynchronised: false), .note),
            (.init(made: 86_400), .ok), (.init(made: 86_401), .fault),
            (.init(made: -1_000_000, newest: 0, apple: 0, isSynchronised: true), .ok),
            (.init(newest: 60), .ok), (.init(newest: 61), .fault), (.init(newest: -1_000_000), .ok),
            (.init(apple: 60), .ok), (.init(apple: 61), .fault), (.init(apple: -60), .ok), (.init(apple: -61), .fault),
            (.init(apple: -61, isSynchronised: true), .fault),
        ] as [(OtherTimes, Finding.Grade)])
    func clock(times: OtherTimes, grade: Finding.Grade) {
        func moment(_ seconds: Int64?) -> Timestamp? { seconds.map { Self.now + .seconds($0) } }
        let facts = ClockCheck.Facts(
            now: Self.now, madeAt: moment(times.made), newest: moment(times.newest), appleTime: moment(times.apple),
            isSynchronised: times.isSynchronised)
        #expect(ClockCheck(database: nil, appleTime: nil).evaluate(facts).grade == grade)
    }

    @Test(
        "a clock by the expected time, if the time of Apple is unknown",
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
            (mode: 0o660, group: 33, folder: 0o755, faults: []),
            (mode: 0o660, group: 998, folder: 0o755, faults: ["may not connect"]),
            (mode: 0o666, group: 998, folder: 0o755, faults: []),
            (mode: 0o600, group: 33, folder: 0o755, faults: ["may not connect"]),
            (mode: 0o640, group: 33, folder: 0o755, faults: ["may not connect"]),
            (mode: 0o660, group: 33, folder: 0o750, faults: ["cannot reach it: /run/gatehouse"]),
            (mode: 0o600, group: 33, folder: 0o700, faults: ["cannot reach it: /run/gatehouse", "may not connect"]),
        ] as [(mode: UInt32, group: UInt32, folder: UInt32, faults: [String])])
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
            (mode: 0o600, group: 0, grade: nil), (mode: 0o440, group: 0, grade: nil),
            (mode: 0o640, group: 998, grade: .note), (mode: 0o644, group: 0, grade: .fault),
            (mode: 0o602, group: 0, grade: .fault), (mode: 0o400, group: 998, grade: nil),
        ] as [(mode: UInt32, group: UInt32, grade: Finding.Grade?)] {
            #expect(check.evaluate("DATA_KEY", at: "x", Self.file(0, mode, group: group))?.grade == grade, "\(mode)")
        }
        #expect(check.evaluate("DATA_KEY", at: "x", Self.file(0, 0o644), isReachable: false)?.grade == .note)
    }

    @Test("no advice about a secret closes it to the service, and its own group needs none")
    func secretsOfTheService() throws {
        let accounts = UserDatabase(
            users: "root:x:0:0::/:/bin/sh\ngatehouse:x:998:998::/:/bin/sh\nann:x:1000:1000::/:/bin/sh",
            groups: "root:x:0:\ngatehouse:x:998:\nstaff:x:50:ann\n")
        let source = SettingSource(variables: ["CREDENTIALS_DIRECTORY": "/nowhere/credentials"])
        let check = ConfigurationCheck(survey: ConfigurationSurvey(of: source), accounts: accounts)
        func advice(
            _ mode: UInt32, _ owner: UInt32 = 0, group: UInt32 = 0, at path: String = "/x", reachable: Bool = true
        ) -> String? {
            check.evaluate("DATA_KEY", at: path, Self.file(owner, mode, group: group), isReachable: reachable)?.advice
        }
        #expect(advice(0o640, group: 998) == nil)
        for (mode, group, reachable) in [(0o644, 0, true), (0o644, 998, true), (0o640, 50, true), (0o644, 0, false)]
            as [(UInt32, UInt32, Bool)]
        {
            let text = try #require(advice(mode, group: group, reachable: reachable))
            #expect(text.hasPrefix("chgrp gatehouse /x && chmod 640 /x"), "\(text)")
        }
        // systemd reads these as root, and this one is the service's own.
        #expect(advice(0o644, at: "/nowhere/credentials/data_key")?.hasPrefix("chmod 600 ") == true)
        #expect(advice(0o644, 998, group: 998)?.hasPrefix("chmod 600 /x") == true)
        // The members of the group of the service can read it too.
        let others = ConfigurationCheck(survey: ConfigurationSurvey(of: source), accounts: Self.accounts)
        let finding = others.evaluate("DATA_KEY", at: "/x", Self.file(0, 0o640, group: 998))
        #expect(finding?.advice?.contains("remove ann from the group gatehouse") == true)
    }

    @Test(
        "limits by the need of the workers, and on a PostgreSQL server of the threads and the connections",
        arguments: [
            (pool: nil, most: 80, grade: .fault), (pool: nil, most: 112, grade: .note),
            (pool: nil, most: 4191, grade: .note), (pool: nil, most: 4192, grade: .ok),
            // 64, two threads for each worker, and 2 for each of 100 + 3 connections.
            (pool: 100, most: 293, grade: .fault), (pool: 100, most: 294, grade: .note),
            (pool: 100, most: 4373, grade: .note), (pool: 100, most: 4374, grade: .ok),
        ] as [(pool: Int?, most: Int, grade: Finding.Grade)])
    func limits(pool: Int?, most: Int, grade: Finding.Grade) {
        let check = LimitsCheck(workers: 4, need: DescriptorNeed(workers: 4, pool: pool, receivers: 0), service: nil)
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

@Suite("The check of the last reload")
struct ReloadCheckTests {
    @Test(
        "evaluates the server's metric, and notes a missing one",
        arguments: [
            ("1", .ok), ("0", .fault), ("NaN", .note), (nil, .note),
        ] as [(String?, Finding.Grade)])
    func judgement(value: String?, grade: Finding.Grade) {
        let name = ReloadCheck.metric
        let line = value.map { "\(name) \($0)\n" } ?? ""
        let metrics = "# TYPE \(name) gauge\n\(line)\(name)_of_another 0\ngatehouse_workers 64\n"
        let findings = ReloadCheck(listen: .unix(path: "/x")).evaluate(metrics)
        #expect(findings.map(\.grade) == [grade])
    }
}

@Suite("gatehouse check: services")
struct ServicesCheckTests {
    @Test("it counts tokens and users, and names them")
    func counts() {
        let tokens = ["shop", "shop", "knowledge-base"].map { ServiceToken(service: $0, hash: [1]) }
        let access = ServiceAccess(tokens: tokens, users: [33: "www-data"])
        #expect(
            ServicesCheck(access: access).run() == [.ok("3 tokens (knowledge-base, shop), 1 user (www-data)")])
        #expect(
            ServicesCheck(access: ServiceAccess(tokens: [tokens[0]])).run() == [.ok("1 token (shop), 0 users")])
    }

    @Test("without settings it says who may ask, and without readable ones that it does not know")
    func none() {
        #expect(
            ServicesCheck(access: ServiceAccess()).run()
                == [.ok("only root may ask about users and access tokens: SERVICE_TOKENS is not set")])
        #expect(ServicesCheck(access: nil).run().map(\.grade) == [.note])
    }
}
