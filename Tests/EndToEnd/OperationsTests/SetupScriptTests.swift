import Foundation
import TestSupport
import Testing

@testable import ServerSupport

/// Runs the scripts of the package and of the containers on a temporary folder.
@Suite("Scripts that create secrets")
struct SetupScriptTests {
    private let folder: TemporaryFolder
    private var credentials: String { folder.file("etc/credentials") }

    init() throws {
        folder = try TemporaryFolder()
        for name in ["etc/credentials", "run", "apple", "bin"] {
            try FileManager.default.createDirectory(
                atPath: folder.file(name), withIntermediateDirectories: true)
        }
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("bin/gatehouse"), withDestinationPath: Executable.gatehouse)
    }

    private func write(_ text: String, to name: String) throws {
        try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
    }

    private var made: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: credentials).filter { $0 != "access_signing_key" }
                .sorted()
        }
    }

    /// Replaces the absolute paths in the script.
    private func setUp(isFirstInstallation: Bool = true) throws {
        var script = try String(contentsOfFile: Executable.root + "/deploy/debian/setup", encoding: .utf8)
        let places = [
            ("/etc/gatehouse", "etc"), ("/run/gatehouse", "run"), ("/usr/bin/", "bin/"), ("/var/lib/gatehouse", "data"),
        ]
        for (path, name) in places {
            script.replace(path, with: folder.file(name))
        }
        try write(script, to: "setup")
        try Shell.run(["/bin/sh", folder.file("setup")] + (isFirstInstallation ? ["--first-installation"] : []))
    }

    @Test("A start makes no secret: the first installation alone does")
    func start() throws {
        try setUp(isFirstInstallation: false)
        #expect(try made == [])
        try setUp()
        #expect(try made == ["data_key", "jwt_access_secret", "jwt_refresh_secret"])
        try write("", to: "etc/credentials/jwt_refresh_secret")
        try setUp(isFirstInstallation: false)
        #expect(try String(contentsOfFile: credentials + "/jwt_refresh_secret", encoding: .utf8) == "")
    }

    @Test(
        "An installation makes no secret where a database was", arguments: ["etc/database_mark", "data/gatehouse.db"])
    func installationBesideDatabase(file: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder.file("data"), withIntermediateDirectories: true)
        try write("", to: file)
        try setUp()
        #expect(try made == [])
    }

    @Test("The containers make the secrets of the database once")
    func containersAgain() throws {
        func makeSecrets() throws -> Shell.Outcome {
            try Shell.outcome(
                of: [
                    "/bin/sh", Executable.root + "/deploy/docker/make-secrets", credentials, folder.file("apple"),
                    folder.file("apple"),
                ],
                environment: ["PATH": "\(folder.file("bin")):/usr/bin:/bin"])
        }
        #expect(try makeSecrets().status == 0)
        #expect(try makeSecrets().status == 0)
        try FileManager.default.removeItem(atPath: credentials + "/jwt_refresh_secret")
        let outcome = try makeSecrets()
        #expect(outcome.status == 1 && outcome.errorOutput.contains("jwt_refresh_secret is missing or empty"))
        #expect(try !made.contains("jwt_refresh_secret"))
    }

    @Test(
        "The package creates no access token secret where a signing key is configured",
        arguments: [
            ("", false), ("ACCESS_SIGNING_KEY_FILE=@\n", true), ("  ACCESS_SIGNING_KEY_FILE = \"@\" ", true),
            ("ACCESS_SIGNING_KEY_FILE='@'\r\n", true), ("#ACCESS_SIGNING_KEY_FILE=@\n", false),
            ("ACCESS_SIGNING_KEY_FILE=\n", false), ("ACCESS_SIGNING_KEY_FILE=@.missing\n", false),
            ("ACCESS_SIGNING_KEY_FILE=@.empty\n", false), ("ACCESS_SIGNING_KEY_PREVIOUS_FILE=@\n", false),
        ])
    func package(settings: String, hasKey: Bool) throws {
        try write("a key", to: "the key.pem")
        try write("", to: "the key.pem.empty")
        let settings = settings.replacing("@", with: folder.file("the key.pem"))
        try write("APPLE_BUNDLE_ID=com.example.app\n" + settings, to: "etc/gatehouse.conf")
        try setUp()
        #expect(try made == ["data_key"] + (hasKey ? [] : ["jwt_access_secret"]) + ["jwt_refresh_secret"])
        #expect(FileManager.default.fileExists(atPath: folder.file("run/configured")))
    }

    @Test("The package creates no access token secret where a signing key is a credential")
    func credential() throws {
        try write("a key", to: "etc/credentials/access_signing_key")
        try setUp()
        #expect(try made == ["data_key", "jwt_refresh_secret"])
    }

    @Test("The containers create no access token secret where a signing key is a credential", arguments: [true, false])
    func containers(hasKey: Bool) throws {
        if hasKey { try write("a key", to: "etc/credentials/access_signing_key") }
        let script = Executable.root + "/deploy/docker/make-secrets"
        try Shell.run([
            "/usr/bin/env", "PATH=\(folder.file("bin")):/usr/bin:/bin", "/bin/sh", script, credentials,
            folder.file("apple"), folder.file("apple"),
        ])
        #expect(try made.contains("jwt_access_secret") != hasKey)
        #expect(try made.contains("jwt_refresh_secret"))
    }
}
