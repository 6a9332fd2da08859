import Foundation
import GatehouseServer
import Testing

/// The table of settings and the documents that are made from it.
@Suite("The table of settings")
struct SettingsTableTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    @Test("the Configuration page has the table")
    func page() throws {
        try TableInPage(page: "Configuration.md", name: "settings").expect(
            Settings.markdown, of: "Settings.swift", suite: "SettingsTableTests")
    }

    @Test("the Configuration page says of each setting once whether it is everyday or rare")
    func everyday() throws {
        let text = try TableInPage.text(of: "Configuration.md")
        let section = try #require(text.components(separatedBy: "### Everyday and rare settings\n").dropFirst().first)
        let table = section.components(separatedBy: "\n### ")[0]
        let names = table.matches(of: /`([A-Z_]+)`/).map { String($0.1) }
        #expect(names.sorted() == Settings.all.map(\.name).sorted())
    }

    @Test("each row has a unique name, and a summary that is a sentence for one line of the help")
    func rows() {
        #expect(Settings.all.count > 30)
        #expect(Set(Settings.all.map(\.name)).count == Settings.all.count)
        for row in Settings.all {
            #expect(row.name.wholeMatch(of: /[A-Z][A-Z_]+[A-Z]/) != nil, "\(row.name)")
            #expect(row.summary.hasSuffix(".") && !row.summary.contains("["), "\(row.name)")
            #expect(row.details.isEmpty || row.details.hasSuffix("."), "\(row.name)")
            #expect(!row.name.hasSuffix("_PREVIOUS") || row.isSecret, "\(row.name)")
        }
        #expect(Settings.help.split(separator: "\n").allSatisfy { $0.count <= 120 })
    }

    @Test("each default is a valid value", arguments: Settings.all.map(\.name))
    func defaults(name: String) throws {
        let row = try #require(Settings.all.first { $0.name == name })
        guard case .text(let text) = row.defaultValue else { return }
        #expect(TestConfiguration.faults([name: text]).isEmpty)
    }

    @Test("the package's configuration file shows the defaults of the table")
    func packageFile() throws {
        let file = Self.root.appending(path: "deploy/debian/gatehouse.conf")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let shown = lines.compactMap { $0.wholeMatch(of: /#([A-Z][A-Z_]+)=(.+)/).map { (String($0.1), String($0.2)) } }
        #expect(shown.count > 10)
        for (name, value) in shown {
            let row = try #require(Settings.all.first { $0.name == name }, "\(name) is unknown")
            if case .text(let text) = row.defaultValue { #expect(value == text, "\(name)") }
        }
    }

    @Test("the service gets each secret of the table as a credential")
    func credentials() throws {
        let unit = try String(contentsOf: Self.root.appending(path: "systemd/gatehouse.service"), encoding: .utf8)
        let loaded = unit.matches(of: /LoadCredential=([a-z_]+):/).map { $0.1.uppercased() }
        let ofProviders = [
            "WECHAT_APP_SECRET", "QQ_APP_KEY", "GOOGLE_CLIENT_SECRET", "WECHAT_CLIENT_SECRET", "QQ_CLIENT_SECRET",
        ]
        #expect(loaded.sorted() == (Settings.all.filter(\.isSecret).map(\.name) + ofProviders + ["RECEIVERS"]).sorted())
        // `gatehouse keys rotate` writes these files: a wrong path would show only after a rotation.
        for line in unit.split(separator: "\n") where line.hasPrefix("LoadCredential=") {
            #expect(line.wholeMatch(of: /LoadCredential=([a-z_]+):\/etc\/gatehouse\/credentials\/\1/) != nil, "\(line)")
        }
    }
}
