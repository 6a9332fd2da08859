import Foundation
import JSON
import TestSupport
import Testing

@testable import StandIn

@Suite("The mail server over a connection", .serialized)
struct MailServerTests {
    private let server: StandInServer
    private let folder: TemporaryFolder

    init() throws {
        (server, folder) = (try StandInServer(), try TemporaryFolder())
    }

    private static let message = """
        Date: Wed, 25 Nov 2026 12:00:00 +0000
        From: login@example.com
        To: ann@example.com
        Message-ID: <1@example.com>
        MIME-Version: 1.0
        Subject: Your code
        Content-Type: text/plain; charset=utf-8
        Content-Language: en

        Your code is 042137.
        .hidden

        """

    /// Sends the message with curl, and returns the exit status and the last reply of the server.
    private func send(_ words: String..., message: String = Self.message) throws -> (status: Int32, reply: Int?) {
        let file = folder.file("message")
        try message.replacing("\n", with: "\r\n").write(toFile: file, atomically: true, encoding: .utf8)
        let outcome = try Shell.outcome(
            of: [
                "/usr/bin/curl", "--silent", "--max-time", "20", "--write-out", "%{response_code}",
                "--mail-from", "login@example.com", "--mail-rcpt", "ann@example.com", "--upload-file", file,
            ] + words + [server.smtpURL + "/client"], environment: [:])
        return (outcome.status, Int(outcome.text))
    }

    @Test("a mail that cannot be read is refused")
    func malformed() throws {
        #expect(try send(message: "Subject: s\n\ntext\n").reply == 554)
        #expect(server.inbox.messages.isEmpty)
    }

    @Test("only the credentials that are set may send")
    func credentials() throws {
        try server.control("/mail/settings", ["username": "ann", "password": "secret"])
        #expect(try send("--user", "ann:secret").status == 0)
        #expect(try send("--user", "ann:other").status == 67 && send().reply == 530)
        #expect(server.inbox.messages.count == 1)
    }

    @Test(
        "a fault answers with its status; without one, a mail is in the inbox of each recipient",
        arguments: [421, 552] as [Int64])
    func faults(status: Int64) throws {
        try server.control("/mail/faults", ["mode": "status", "status": .integer(status)])
        let outcome = try send()
        #expect(outcome.status != 0 && outcome.reply == Int(status))
        try server.control("/mail/faults", method: "DELETE")
        #expect(try send("--mail-rcpt", "bob@example.com").status == 0)
        #expect(Set(server.inbox.messages.map(\.to)) == ["ann@example.com", "bob@example.com"])
    }

    @Test("a connection is closed on demand")
    func close() throws {
        try server.control("/mail/faults", ["mode": "close"])
        #expect(try send().status != 0)
        #expect(server.inbox.messages.isEmpty)
    }

    private func records(_ method: String) -> [JSONObject] {
        let list = (try? server.control("/mail/requests", method: "GET"))?["requests"]?.array ?? []
        return list.compactMap(\.object).filter { $0["method"] == .string(method) }
    }

    @Test("a connection that hangs goes on once the mode changes")
    func hang() throws {
        try server.control("/mail/faults", ["mode": "hang"])
        let hanging = Background { [UInt8((try? send().status) == 0 ? 1 : 0)] }
        #expect(Eventually.holds { !records("CONNECT").isEmpty })
        #expect(server.inbox.messages.isEmpty)
        try server.control("/mail/faults", method: "DELETE")
        #expect(hanging.result() == [1])
        #expect(server.inbox.messages.count == 1)
    }

    @Test("a slow server has accepted the message that the client gives up")
    func slow() throws {
        try server.control("/mail/faults", ["mode": "slow", "seconds": 600])
        // On a busy machine, the client may give up before it has sent the whole message.
        for limit in ["2", "8", "30"] where server.inbox.messages.isEmpty {
            #expect(try send("--max-time", limit).status == 28)
        }
        #expect(server.inbox.messages.count == 1)
    }

    @Test("commands are listed with their replies, and without what they contain")
    func requests() throws {
        #expect(try send("--user", "secret-name:secret-word").status == 0)
        let list = try server.control("/mail/requests", method: "GET")
        #expect(records("AUTH").first?["status"] == 235 || records("OTHER").first?["status"] == 235)
        #expect(records("END").first?["status"] == 250)
        for secret in ["secret", "c2VjcmV0", "042137", "ann"] { #expect(!list.description.contains(secret)) }
        try server.control("/mail/requests", method: "DELETE")
        #expect(records("END").isEmpty)
    }
}
