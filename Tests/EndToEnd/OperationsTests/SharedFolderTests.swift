import Foundation
import TestSupport
import Testing

@testable import ServerSupport

@Suite("A server of root with a database folder that other users can write to", .enabled(if: geteuid() == 0))
struct SharedFolderTests {
    private let place: TemporaryFolder
    private var database: String { "sqlite:" + place.file("open/g.db") }

    init() throws {
        place = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: place.file("open"), withIntermediateDirectories: false)
        chmod(place.file("open"), 0o777)
    }

    @Test("It starts in development with a warning")
    func development() throws {
        let server = try ServerProcess { $0["DATABASE_URL"] = database }
        #expect(try server.devLogin("shared@example.com").status == 200)
        #expect(Eventually.holds { server.process.log.contains("other users can change the path of the database") })
    }

    @Test("It does not start in production and says what to do")
    func production() throws {
        var variables = try TestSettings.standard(folder: place.path, keysURL: "http://127.0.0.1:9/keys")
        variables["APP_ENV"] = "production"
        variables["DATABASE_URL"] = database
        let outcome = try Shell.outcome(of: ["timeout", "60", Executable.gatehouse, "serve"], environment: variables)
        #expect(outcome.status == 3 && outcome.errorOutput.contains("chmod go-w \(place.file("open"))"))
        #expect(!FileManager.default.fileExists(atPath: place.file("open/g.db")))
    }
}
