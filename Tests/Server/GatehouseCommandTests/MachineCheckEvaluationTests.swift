import Foundation
import Gatehouse
import GatehouseServer
import POSIX
import Testing

@testable import GatehouseCommand
@testable import Processes

/// The evaluation of systemd's units and of settings by `gatehouse check`.
@Suite("Checks of units, backups and settings evaluate")
struct MachineCheckEvaluationTests {
    private static let now = Timestamp(seconds: 1_800_000_000)

    private static func unit(
        _ name: String, _ state: String = "active", sub: String = "running", file: String = "enabled",
        result: String = "success", reload: String = "no"
    ) -> String {
        """
        Id=\(name)
        LoadState=loaded
        ActiveState=\(state)
        SubState=\(sub)
        Result=\(result)
        NRestarts=7
        UnitFileState=\(file)
        NeedDaemonReload=\(reload)
        MainPID=\(state == "active" ? 42 : 0)
        LimitNOFILE=65536

        """
    }

    private static func units(
        socket: String = unit("gatehouse.socket"), service: String = unit("gatehouse.service"),
        timer: String = unit("gatehouse-backup.timer"), other: String = ""
    ) -> Units {
        Units(parsing: [socket, service, timer, other, service].joined(separator: "\n"))
    }

    private func evaluate(_ units: Units, missing path: String? = nil) -> [Finding] {
        UnitsCheck(units: units, listen: nil).evaluate(missingSocketFile: path)
    }

    @Test("units by whether they run")
    func running() {
        #expect(evaluate(Self.units()).map(\.grade) == [.ok])
        func fault(_ units: Units, _ message: String, _ advice: String, missing: String? = nil) {
            let found = evaluate(units, missing: missing).filter { $0.grade == .fault }
            #expect(found.count == 1, "\(found)")
            #expect(found.first?.message.contains(message) == true, "\(found)")
            #expect(found.first?.advice?.contains(advice) == true, "\(found)")
        }
        func service(_ state: String, sub: String = "running", result: String = "success") -> String {
            Self.unit("gatehouse.service", state, sub: sub, result: result)
        }
        let (socket, start) = (Self.unit("gatehouse.socket", "inactive"), "systemctl start gatehouse")
        fault(Self.units(socket: socket), "gatehouse.socket is stopped", start)
        fault(Self.units(service: service("inactive")), "gatehouse.service is stopped", start)
        fault(Self.units(socket: socket, service: service("inactive")), "are stopped", start)
        let failed = Self.units(service: service("failed", result: "exit-code"))
        fault(failed, "gatehouse.service has failed (exit-code)", start)
        let broken = Self.units(socket: Self.unit("gatehouse.socket", "failed", result: "resources"))
        fault(broken, "gatehouse.socket has failed", "systemctl restart gatehouse.socket gatehouse")
        fault(Self.units(service: service("activating", sub: "auto-restart")), "7 restarts so far", "journalctl")
        let backup = Self.units(other: Self.unit("gatehouse-backup.service", "failed", file: "static"))
        fault(backup, "gatehouse-backup.service has failed", "systemctl reset-failed gatehouse-backup.service")
        let masked = Self.units(service: service("inactive").replacing("=loaded", with: "=masked"))
        fault(masked, "gatehouse.service is masked", "systemctl unmask gatehouse.service")
        let bad = Self.units(socket: socket.replacing("=loaded", with: "=bad-setting"))
        fault(bad, "cannot load gatehouse.socket: bad-setting", "systemctl daemon-reload")
        fault(Self.units(), "its file /run/x is missing", "systemctl restart gatehouse", missing: "/run/x")
        #expect(evaluate(Self.units(socket: socket), missing: "/run/x").filter { $0.grade == .fault }.count == 1)
    }

    @Test("units by whether they start at boot, and have unread changes")
    func notes() {
        let disabled = Self.unit("gatehouse-backup.timer", "inactive", file: "disabled")
        #expect(evaluate(Self.units(timer: disabled)).map(\.grade) == [.ok, .note])
        #expect(
            evaluate(Self.units(timer: Self.unit("gatehouse-backup.timer", "inactive"))).map(\.grade) == [.ok, .note])
        for timer in [disabled, Self.unit("gatehouse-backup.timer", "inactive")] {
            let onServer = UnitsCheck(units: Self.units(timer: timer), listen: nil, hasDatabaseFile: false)
            #expect(onServer.evaluate(missingSocketFile: nil).map(\.grade) == [.ok])
        }
        let nginx = Self.unit("nginx.service", file: "disabled")
        #expect(evaluate(Self.units(other: nginx)).last?.message == "nginx.service does not start at boot")
        // The check of nginx reports faults of nginx.
        #expect(evaluate(Self.units(other: Self.unit("nginx.service", "failed"))).map(\.grade) == [.ok])
        let stale = Self.unit("gatehouse.service", reload: "yes")
        #expect(evaluate(Self.units(service: stale)).last?.advice == "systemctl daemon-reload")
    }

    @Test(
        "units by the address of the socket, which LISTEN has to name, too",
        arguments: [
            ("/run/x.sock (Stream)", ListenAddress.unix(path: "/run/x.sock"), true),
            ("/run/x.sock (Stream)", .tcp(host: "127.0.0.1", port: 9000), false),
            ("127.0.0.1:9000 (Stream)", .tcp(host: "127.0.0.1", port: 9000), true),
            ("[::1]:9000 (Stream)", .tcp(host: "::1", port: 9000), true),
            ("127.0.0.1:9000 (Stream)", .unix(path: "/run/x.sock"), false),
        ])
    func address(socket: String, listen: ListenAddress, isSame: Bool) {
        let units = Self.units(socket: Self.unit("gatehouse.socket") + "Listen=\(socket)\n")
        let findings = UnitsCheck(units: units, listen: listen).evaluate(missingSocketFile: nil)
        #expect(findings.map(\.grade) == [isSame ? .ok : .fault], "\(findings)")
        guard !isSame else { return }
        #expect(findings[0].message.contains("LISTEN is \(listen), and gatehouse.socket listens at "))
        #expect(findings[0].advice?.contains("ListenStream=") == true)
    }

    @Test("the folders that the unit may write to: serve refuses a database outside of them")
    func databaseFolders() throws {
        let text =
            Self.unit("gatehouse.service") + "Environment=SWIFT_BACKTRACE=enable=no DATABASE_FOLDER=/srv/a\n"
            + "ReadWritePaths=-/srv/own /srv/other\n"
        let folders = try #require(Units(parsing: text).all.first?.databaseFolders)
        for path in ["/srv/a/x.db", "/srv/a/b/x.db", "/srv/own/x.db", "/srv/other/x.db", "/var/lib/gatehouse/x.db"] {
            #expect(folders.contains { $0.fault(ofDatabaseAt: path) == nil }, "\(path)")
        }
        for path in ["/srv/x.db", "/srv/ab/x.db", "/var/lib/x.db"] {
            #expect(
                folders.allSatisfy {
                    $0.fault(ofDatabaseAt: path)?.hasPrefix("DATABASE_URL: the systemd unit may not write to ") == true
                })
        }
    }

    @Test("the output of systemctl show, each unit once")
    func parsing() {
        let units = Self.units()
        #expect(units.all.map(\.name) == ["gatehouse.socket", "gatehouse.service", "gatehouse-backup.timer"])
        #expect(units["gatehouse.service"]?.process == 42 && units["gatehouse.service"]?.descriptorLimit == 65_536)
        #expect(Units(parsing: "")["gatehouse.service"] == nil)
    }

    @Test("a systemd that does not answer differently from one without the units")
    func silence() throws {
        let (known, unknown) = (Self.unit("gatehouse.service"), "Id=gatehouse.service\nLoadState=not-found\n")
        #expect(try Units.known(to: .success(.init(status: 0, output: known))) != nil)
        #expect(try Units.known(to: .success(.init(status: 0, output: unknown))) == nil)
        let failures: [(Result<Subprocess.Outcome, POSIX.POSIXError>, String)] = [
            (.failure(POSIX.POSIXError("run /usr/bin/systemctl", code: 110)), "run /usr/bin/systemctl"),
            (
                .success(.init(status: 1, errorOutput: "Failed to connect to bus: x\ny\n")),
                "Failed to connect to bus: x"
            ),
            (.success(.init(status: nil)), "systemctl show does not report gatehouse.service"),
        ]
        for (outcome, reason) in failures {
            let fault = try #require(throws: UnitsFault.self) { try Units.known(to: outcome) }
            #expect(fault.description.hasPrefix(reason))
            let findings = UnansweredUnitsCheck(fault: fault).run()
            #expect(findings.map(\.grade) == [.note] && findings.first?.message.hasSuffix("\(fault)") == true)
        }
    }

    @Test(
        "backups by the age of the last verified one",
        arguments: [
            (timer: true, newest: 0, oldest: -100, grade: .ok), (timer: true, newest: -48, oldest: -100, grade: .ok),
            (timer: true, newest: -49, oldest: -100, grade: .fault),
            (timer: true, newest: nil, oldest: -49, grade: .fault),
            (timer: true, newest: nil, oldest: -48, grade: .note),
            (timer: true, newest: nil, oldest: nil, grade: .note),
            (timer: false, newest: nil, oldest: -100, grade: .note),
            (timer: false, newest: -49, oldest: -100, grade: .note),
            (timer: false, newest: -48, oldest: -100, grade: .ok),
            (timer: nil, newest: nil, oldest: -100, grade: .note), (timer: nil, newest: -1, oldest: -100, grade: .ok),
        ] as [(timer: Bool?, newest: Int64?, oldest: Int64?, grade: Finding.Grade)])
    func backups(timer: Bool?, newest: Int64?, oldest: Int64?, grade: Finding.Grade) {
        let unit = timer.map {
            Self.unit("gatehouse-backup.timer", $0 ? "active" : "inactive", file: $0 ? "enabled" : "disabled")
        }
        let check = BackupsCheck(path: "x", timer: unit.flatMap { Units(parsing: $0).all.first })
        func moment(_ hours: Int64?) -> Timestamp? { hours.map { Self.now + .seconds($0 * 3600) } }
        let finding = check.evaluate(.init(newest: moment(newest), oldestRow: moment(oldest), now: Self.now))
        #expect(finding.grade == grade && (finding.advice != nil) == (grade != .ok))
    }

    @Test("backups that the database has recorded but that are missing")
    func backupsGone() {
        let unit = Self.unit("gatehouse-backup.timer", "active", file: "enabled")
        let check = BackupsCheck(path: "/srv/gatehouse/gatehouse.db", timer: Units(parsing: unit).all.first)
        let finding = check.evaluate(.init(newest: Self.now, now: Self.now, hasFiles: false))
        #expect(finding.grade == .fault && finding.message.contains("/srv/gatehouse/backups has none"))
    }

    @Test("a backup to another place says nothing about the regular ones")
    func backupElsewhere() throws {
        let fixture = try BackupFixture()
        let timer = Units(parsing: Self.unit("gatehouse-backup.timer", "active", file: "enabled")).all.first
        func grade() -> [Finding.Grade] { BackupsCheck(path: fixture.database, timer: timer).run().map(\.grade) }
        _ = try fixture.backUp()
        #expect(grade() == [.ok])
        let folder = fixture.home + "/backups"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try fixture.run("backup", "--keep", "3", folder).expect(0)
        #expect(grade() == [.ok])
        try FileManager.default.removeItem(atPath: folder)
        #expect(grade() == [.fault])
    }

    private static let apples = [("APPLE_JWKS_URL", "https://appleid.apple.com/auth/keys")]
    private static let fake = [("APPLE_JWKS_URL", "http://127.0.0.1:8444/auth/keys?secret")]

    private func production(
        _ environment: AppEnvironment, publicReason: String? = nil, apple: [(name: String, url: String)] = apples,
        providers: [(file: String, url: String)] = [], secret: ProductionCheck.Place? = nil
    ) -> [Finding] {
        let survey = ConfigurationSurvey(of: SettingSource(variables: [:]))
        return ProductionCheck(survey: survey, hasUnits: false, server: ServerEnvironment(of: nil)).evaluate(
            .init(
                environment: environment, publicReason: publicReason, apple: apple, providers: providers,
                developmentSecret: secret,
                environmentPlace: .configurationFile("/etc/gatehouse/gatehouse.conf")))
    }

    @Test("development settings by whether real users are served")
    func development() {
        let reason = "clients use https://api.example.com"
        #expect(production(.production).map(\.grade) == [.ok])
        #expect(production(.development, apple: Self.fake, secret: .environment).map(\.grade) == [.ok])
        let open = production(.development, publicReason: reason)
        #expect(open.map(\.grade) == [.fault])
        #expect(
            open.first?.advice
                == "remove APP_ENV from /etc/gatehouse/gatehouse.conf; then: systemctl reload gatehouse")
        let fake = production(.production, apple: Self.fake)
        #expect(fake.map(\.grade) == [.fault])
        #expect(fake.first?.message.contains("APPLE_JWKS_URL: 127.0.0.1:8444 is not Apple") == true)
        let standIn = production(
            .production,
            providers: [("google.conf", "http://127.0.0.1:8444/keys"), ("qq.conf", "https://graph.qq.com")])
        #expect(standIn.map(\.grade) == [.fault])
        #expect(standIn.first?.message.hasPrefix("google.conf: a stand-in on this machine") == true)
        let secret = production(.production, secret: .file("/etc/gatehouse/credentials/dev_login_secret"))
        #expect(secret.first?.advice?.hasPrefix("rm /etc/gatehouse/credentials/dev_login_secret") == true)
        let all = production(.development, publicReason: reason, apple: Self.fake, secret: .environment)
        #expect(all.map(\.grade) == [.fault, .fault, .fault])
    }

    @Test(
        "Apple's addresses by their host",
        arguments: [
            ("https://appleid.apple.com/auth/keys", true), ("https://APPLEID.APPLE.COM:443/x", true),
            ("http://appleid.apple.com/auth/keys", false), ("https://apple.com.example.net/x", false),
            ("https://fakeapple.com/x", false), ("https://127.0.0.1/apple.com", false),
        ])
    func apple(url: String, isApple: Bool) {
        #expect(production(.production, apple: [("APPLE_JWKS_URL", url)]).map(\.grade) == [isApple ? .ok : .fault])
    }

    @Test(
        "limits by the limit of the server's process",
        arguments: [
            ("Max open files            1024                 524288               files", 1024),
            ("Max open files            unlimited            unlimited            files", .max),
            ("Max processes             1                    1                    processes", nil), ("", nil),
        ] as [(String, Int?)])
    func limits(line: String, most: Int?) {
        #expect(LimitsCheck.limit(parsing: "Limit  Soft Limit  Hard Limit  Units\n\(line)\nMax x 1 1\n") == most)
    }

    @Test("a server by its environment")
    func serverEnvironment() {
        let bytes = Array(
            "APP_ENV=development\0PATH=/bin\0APPLE_JWKS_URL=http://127.0.0.1:1/a=b\0DEV_LOGIN_SECRET=\0x\0".utf8)
        let server = ServerEnvironment(parsing: bytes)
        #expect(server.environment == .development && server["APPLE_JWKS_URL"] == "http://127.0.0.1:1/a=b")
        #expect(server["PATH"] == nil && server["DEV_LOGIN_SECRET"] == nil)
        #expect(ServerEnvironment(parsing: []).environment == nil)
        let survey = ConfigurationSurvey(of: SettingSource(variables: [:]))
        let check = ProductionCheck(survey: survey, hasUnits: true, server: server)
        let found = check.run()
        #expect(found.map(\.grade) == [.fault, .fault], "\(found)")
        #expect(found.allSatisfy { $0.advice?.contains("systemctl daemon-reload && systemctl restart") == true })
    }

    @Test("a process by its status file")
    func process() {
        let text = "Name:\tnginx\nPPid:\t7\nUid:\t33\t34\t33\t33\nGid:\t33\t35\t33\t33\nGroups:\t33 998 \n"
        let status = ProcessStatus(parsing: text)
        #expect(status?.parent == 7 && status?.user == 34 && status?.groups == [35, 33, 998])
        #expect(ProcessStatus(parsing: "PPid:\tx\n") == nil)
    }
}
