import Foundation
import GatehouseServer
import Testing

/// The tables of the kinds and the page that is made from them.
@Suite("The Providers page")
struct ProvidersPageTests {
    @Test("the page has the table of each kind")
    func tables() throws {
        for kind in ProviderSettings.kinds {
            try TableInPage(page: "Providers.md", name: "settings of \(kind.kind)").expect(
                kind.markdown, of: "ProviderSettings.swift", suite: "ProvidersPageTests")
        }
    }

    @Test("each row has a unique name and a summary that is a sentence, and some kind has it")
    func rows() {
        let rows = ProviderSettings.all
        #expect(rows.count > 10 && Set(rows.map(\.name)).count == rows.count)
        let used = Set(ProviderSettings.kinds.flatMap { $0.allSettings.map(\.row.name) })
        for row in rows {
            #expect(used.contains(row.name))
            #expect(row.summary.hasSuffix(".") && (row.details.isEmpty || row.details.hasSuffix(".")), "\(row.name)")
            #expect(!Settings.all.map(\.name).contains(row.name), "a setting of gatehouse.conf is refused: \(row.name)")
        }
    }

    @Test("the examples of the page are valid, but for the files of their secrets")
    func examples() throws {
        let blocks = try TableInPage.text(of: "Providers.md").components(separatedBy: "```ini\n").dropFirst()
        #expect(
            blocks.count == ProviderSettings.kinds.count + 1, "one of each kind, and one with a client for browsers"
        )
        for block in blocks {
            let example = block.components(separatedBy: "```")[0]
            let file = example.replacing(/(APP_SECRET|APP_KEY|CLIENT_SECRET)_FILE=.*/) { "\($0.1)=Xsecret" }
            #expect(try FolderFixture.faults(of: file).isEmpty, "\(example)")
        }
    }
}

/// The table of a receiver's file and the page that is made from it.
@Suite("The receivers on the Events page")
struct ReceiversPageTests {
    @Test("the page has the table")
    func table() throws {
        try TableInPage(page: "Events.md", name: "settings of a receiver").expect(
            ReceiverSettings.markdown, of: "ReceiverSettings.swift", suite: "ReceiversPageTests")
    }

    @Test("each row has a name that is no other setting's, and a summary that is a sentence")
    func rows() {
        let rows = ReceiverSettings.all
        #expect(rows.count == 4 && Set(rows.map(\.name)).count == rows.count)
        for row in rows {
            #expect(row.summary.hasSuffix(".") && (row.details.isEmpty || row.details.hasSuffix(".")), "\(row.name)")
            #expect(!Settings.all.map(\.name).contains(row.name), "a setting of gatehouse.conf is refused: \(row.name)")
        }
    }

    @Test("the examples of the page are valid, but for their secrets")
    func examples() throws {
        let blocks = try TableInPage.text(of: "Events.md").components(separatedBy: "```ini\n").dropFirst()
        #expect(!blocks.isEmpty)
        for block in blocks {
            let file = block.components(separatedBy: "```")[0] + "SECRET=\(FolderFixture.secret)\n"
            #expect(try FolderFixture.faults(of: file, in: "receivers.d").isEmpty, "\(file)")
        }
    }
}
