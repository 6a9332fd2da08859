import Foundation
import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// A reload reads the files of the providers again.
@Suite("Reloading the providers")
struct ProviderReloadTests {
    private let folder: TemporaryFolder
    private let configured: ServerWithConfigurationFile
    private var settings: [String: String?] { ["PROVIDERS_DIR": folder.path] }

    init() throws {
        folder = try TemporaryFolder()
        configured = try ServerWithConfigurationFile(["PROVIDERS_DIR": folder.path])
    }

    private func write(_ text: String, to name: String) throws {
        try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
        chmod(folder.file(name), 0o600)
    }

    /// The names of settings that changed, and of those that need a restart.
    private func reload() throws -> [[String]] {
        let line = try configured.reload(settings).split(separator: "\n").last { $0.contains("\"reloaded\"") } ?? ""
        let object = try JSONValue(parsing: Array(line.utf8)).object ?? [:]
        return ["changed", "needs_restart"].map { object[$0]?.array?.compactMap(\.string) ?? [] }
    }

    @Test("The log names the changed settings of each file; none needs a restart")
    func names() throws {
        let name = "\(URL(fileURLWithPath: folder.path).lastPathComponent)/wechat"
        try write("KIND=wechat\nAPP_ID=wx1\nAPP_SECRET_FILE=\(folder.file("secret"))\n", to: "wechat.conf")
        try write("Xsecret", to: "secret")
        #expect(try reload() == [["APP_ID", "APP_SECRET", "KIND"].map { "\(name): \($0)" }, []])
        #expect(try reload() == [[], []])
        try write("Xother", to: "secret")
        #expect(try reload() == [["\(name): APP_SECRET"], []])
        try FileManager.default.removeItem(atPath: folder.file("wechat.conf"))
        #expect(try reload() == [["APP_ID", "APP_SECRET", "KIND"].map { "\(name): \($0)" }, []])
        for secret in ["Xsecret", "Xother"] { #expect(!configured.server.process.log.contains(secret)) }
    }

    @Test("A faulty file is refused, and the earlier settings stay in force")
    func refused() throws {
        try write("KIND=wechat\nAPP_ID=wx1\nAPP_SECRET=Xsecret Xsecret\n", to: "wechat.conf")
        let log = try configured.reload(settings.merging(["ACCESS_TOKEN_TTL": "30s"]) { $1 })
        #expect(log.contains("\"event\":\"reload_refused\"") && log.contains("/wechat.conf: APP_SECRET must be up to"))
        #expect(!log.contains("Xsecret"))
        #expect(try configured.server.devLogin("ada@example.com").json["expiresIn"] == 900)
    }
}
