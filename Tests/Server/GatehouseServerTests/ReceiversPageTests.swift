import Foundation
import GatehouseServer
import Testing

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
