import Foundation
import Gatehouse
import GatehouseServer
import TestSupport
import Testing

@Suite("The configuration file")
struct ConfigurationFileTests {
    private let fixture: FolderFixture
    private var folder: TemporaryFolder { fixture.folder }
    private var path: String { folder.file("gatehouse.conf") }

    init() throws { fixture = try FolderFixture() }

    private func write(_ content: String, to name: String = "gatehouse.conf") throws {
        try fixture.write(content, to: name)
    }

    private func source(_ changes: [String: String?] = [:]) -> SettingSource { fixture.source(changes) }

    private func faults(_ changes: [String: String?] = [:]) -> [String] { fixture.faults(changes) }

    @Test("the environment takes precedence over the file; an empty variable counts as not set")
    func layers() throws {
        try write("WORKERS=7\nTOKEN_ISSUER=file\nTOKEN_AUDIENCE=file\n")
        let configuration = try Configuration(
            from: source(["TOKEN_ISSUER": "environment", "TOKEN_AUDIENCE": "", "JWT_ACCESS_SECRET_FILE": ""]))
        #expect(configuration.workers == 7)
        #expect(configuration.tokenIssuer == "environment")
        #expect(configuration.tokenAudience == "file")
    }

    @Test("a variable takes precedence in either form, X or X_FILE")
    func forms() throws {
        try write("one", to: "one")
        try write("two", to: "two")
        let (one, two) = (folder.file("one"), folder.file("two"))
        try write("TOKEN_ISSUER=file\nTOKEN_AUDIENCE_FILE=\(one)\n")
        #expect(try Configuration(from: source()).tokenAudience == "one")
        let configuration = try Configuration(from: source(["TOKEN_ISSUER_FILE": two, "TOKEN_AUDIENCE": "three"]))
        #expect(configuration.tokenIssuer == "two")
        #expect(configuration.tokenAudience == "three")
        try write("TOKEN_ISSUER=file\nTOKEN_ISSUER_FILE=\(one)\n")
        #expect(faults() == ["TOKEN_ISSUER is set twice: as TOKEN_ISSUER and as TOKEN_ISSUER_FILE"])
        #expect(faults(["TOKEN_ISSUER": "three"]).isEmpty)
        #expect(faults(["TOKEN_ISSUER": "three", "TOKEN_ISSUER_FILE": two]).count == 1)
    }

    @Test("the file is the one that the environment names, or the usual one if it exists")
    func naming() throws {
        try write("TOKEN_ISSUER=file\n")
        let usual = { (name: String, changes: [String: String]) -> SettingSource in
            SettingSource.current(
                variables: TestConfiguration.required.merging(changes) { $1 }, usualFile: folder.file(name))
        }
        #expect(try Configuration(from: usual("gatehouse.conf", [:])).tokenIssuer == "file")
        #expect(try Configuration(from: usual("missing", [:])).tokenIssuer == "gatehouse")
        #expect(try Configuration(from: usual("gatehouse.conf", ["GATEHOUSE_CONFIG": ""])).tokenIssuer == "gatehouse")
        #expect(try Configuration(from: usual("missing", ["GATEHOUSE_CONFIG": path])).tokenIssuer == "file")
        #expect(faults(["GATEHOUSE_CONFIG": folder.file("missing")]).count == 1)
    }

    @Test("a file that cannot be read is the only fault: its settings are not reported as missing")
    func unreadable() throws {
        try FileManager.default.removeItem(atPath: path)
        #expect(faults() == ["FOLDER/gatehouse.conf cannot be read: No such file or directory"])
        try Data([0xC3, 0x28]).write(to: URL(fileURLWithPath: path))
        #expect(faults(["JWT_ACCESS_SECRET": nil]) == ["FOLDER/gatehouse.conf is not UTF-8 text"])
        try Data([0x23, 0x00]).write(to: URL(fileURLWithPath: path))
        #expect(faults() == ["FOLDER/gatehouse.conf is not UTF-8 text"])
        try write(String(repeating: "#", count: 70_000))
        #expect(faults() == ["FOLDER/gatehouse.conf cannot be read: File too large"])
    }

    @Test(
        "all faults of the file and the environment are reported at once; a setting with a faulty line is not missing")
    func allAtOnce() throws {
        try write(
            """
            # settings
            JWT_ACCESS_SECRET="Xsecret-of-a-server
            JWT_REFRESH_SECRT=Xsecret-of-a-server
            Xsecret-of-a-server==
            WORKERS=Xmany
            WORKERS=7
            """)
        let faults = faults(["JWT_ACCESS_SECRET": nil, "JWT_REFRESH_SECRET": nil, "APP_ENV": "Xtest"])
        #expect(
            faults == [
                "FOLDER/gatehouse.conf:2 JWT_ACCESS_SECRET has no closing quote",
                "FOLDER/gatehouse.conf:3 sets an unknown setting: did you mean JWT_REFRESH_SECRET?",
                "FOLDER/gatehouse.conf:4 does not begin with the name of a setting",
                "FOLDER/gatehouse.conf:6 sets WORKERS again: line 5 already sets it",
                "APP_ENV must be one of production, development", "WORKERS must be a number from 1 to 1024",
            ])
    }

    @Test("the file can name the folder of credentials; an empty credential counts as not set")
    func credentials() throws {
        for name in ["file", "environment"] {
            try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
            try write(name + "\n", to: "\(name)/token_issuer")
        }
        try write("\n", to: "file/data_key")
        try write("", to: "file/jwt_access_secret_previous")
        try write("CREDENTIALS_DIRECTORY=\(folder.file("file"))\n")
        #expect(try Configuration(from: source()).tokenIssuer == "file")
        let other = source(["CREDENTIALS_DIRECTORY": folder.file("environment")])
        #expect(try Configuration(from: other).tokenIssuer == "environment")
    }

    @Test("a secret in a file that all users can read is a warning")
    func openness() throws {
        try write("DEV_LOGIN_SECRET=Xsecret-0123456789\nAPP_ENV=development\n")
        chmod(path, 0o640)
        #expect(try Configuration(from: source()).warnings.isEmpty)
        chmod(path, 0o644)
        let warnings = try Configuration(from: source()).warnings
        #expect(warnings.count == 1)
        #expect(warnings.first?.hasPrefix("DEV_LOGIN_SECRET is in \(path)") == true)
        #expect(!warnings.joined().contains("Xsecret"))
    }

    @Test(
        "the address of a database is only a secret if it has a password",
        arguments: [
            ("sqlite:/var/lib/x.db", 0), ("postgresql://gatehouse@db1,db2/x?passfile=/etc/gatehouse/pgpass", 0),
            ("postgresql://gatehouse:Xsecret@db1/x", 1), ("postgresql://gatehouse@db1/x?password=Xsecret", 1),
        ])
    func databaseAddress(url: String, count: Int) throws {
        try write("DATABASE_URL=\(url)\n")
        chmod(path, 0o644)
        #expect(try Configuration(from: source()).warnings.filter { $0.contains("DATABASE_URL") }.count == count)
    }

    @Test("every setting can be in the file, as a value and as a file name")
    func everySetting() throws {
        try write(Settings.all.flatMap { ["\($0.name)=", "\($0.name)_FILE="] }.joined(separator: "\n"))
        #expect(faults().isEmpty)
    }
}
