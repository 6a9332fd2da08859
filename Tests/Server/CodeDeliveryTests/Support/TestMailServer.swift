import Foundation
import JSON
import TestSupport

@testable import CodeDelivery
@testable import Curl

/// `mail-server.py` as a process of its own, on 127.0.0.1.
final class TestMailServer: Sendable {
    enum Encryption: String, Sendable, CaseIterable {
        case none, starttls, implicit
    }

    static let login = SMTPLogin(username: "gatehouse@example.com", password: "pässword 1")
    static let from = "Example <codes@example.com>"

    let encryption: Encryption
    let port: Int
    private let folder: TemporaryFolder
    private let process: ChildProcess

    /// - Parameters:
    ///   - replies: what it answers at a step instead of what it usually does.
    ///   - hang: the step that it does not answer.
    init(
        _ encryption: Encryption = .none, auth: [String] = [], replies: [String: String] = [:], hang: String? = nil
    ) throws {
        self.encryption = encryption
        folder = try TemporaryFolder()
        var options: JSONObject = [
            "auth": .array(auth.map { .string($0) }),
            "replies": .object(JSONObject(replies.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })),
            "certificate": .string(TestCertificate.shared.path), "key": .string(TestCertificate.shared.key),
        ]
        if encryption != .none { options["tls"] = .string(encryption.rawValue) }
        if let hang { options["hang"] = .string(hang) }
        let script = Executable.root + "/Tests/Server/CodeDeliveryTests/Support/mail-server.py"
        let process = try ChildProcess(
            ["python3", script, options.description], environment: [:], log: folder.file("log"))
        self.process = process
        var port: Int64?
        _ = Eventually.holds {
            port = Self.events(process.log).first?["port"]?.integer
            return port != nil || process.exitStatus != nil
        }
        guard let port else { throw Spawn.Failure(description: process.log) }
        self.port = Int(port)
    }

    /// What has happened, in order.
    var events: [JSONObject] { Self.events(process.log) }

    /// The commands, without what AUTH says.
    var commands: [String] { events.compactMap { $0["command"]?.string } }

    /// The verbs of the commands.
    var verbs: [String] { commands.map { String($0.prefix { $0 != " " }) } }

    var messages: [String] { events.compactMap { $0["message"]?.string } }

    /// The mechanism, the user name and the password.
    var logins: [[String]] { events.compactMap { $0["login"]?.array?.compactMap(\.string) } }

    /// - Parameters:
    ///   - host: for the URL, and so for the certificate.
    ///   - isTrusted: whether its certificate is one of an authority that the client trusts.
    func settings(
        host: String = "127.0.0.1", login: SMTPLogin? = nil, isTrusted: Bool = true
    ) throws -> MailServerSettings {
        let scheme = encryption == .implicit ? "smtps" : "smtp"
        guard let server = SMTPServer("\(scheme)://\(host):\(port)"), let from = MailSender(Self.from) else {
            throw Spawn.Failure(description: "invalid settings")
        }
        var settings = MailServerSettings(server: server, login: login, from: from)
        if isTrusted { settings.authorities = TestCertificate.shared.path }
        if encryption == .starttls { settings.demandsTLS = true }
        return settings
    }

    private static func events(_ log: String) -> [JSONObject] {
        log.split(separator: "\n").compactMap { try? JSONValue(parsing: Array($0.utf8)).object }
    }
}

/// A certificate for 127.0.0.1 that only tests trust.
final class TestCertificate: Sendable {
    static let shared = try! TestCertificate()

    private let folder: TemporaryFolder
    var path: String { folder.file("certificate.pem") }
    var key: String { folder.file("key.pem") }

    private init() throws {
        folder = try TemporaryFolder()
        try Shell.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
            "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", folder.file("key.pem"), "-out",
            folder.file("certificate.pem"),
        ])
    }
}
