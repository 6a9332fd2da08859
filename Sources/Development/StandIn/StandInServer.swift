import DevelopmentHTTP
package import JSON
import POSIX
import Sockets

/// The stand-in on ports of this machine, in this process, for tests. It serves until the process ends.
package final class StandInServer: Sendable {
    package let service: StandIn
    package let port: UInt16
    package let mailPort: UInt16

    /// - Parameters:
    ///   - folder: where keys and grants are kept, the keys of a provider in `openid-NAME.pem`; nil to generate new ones.
    ///   - clientIDs: Apple's apps.
    package init(folder: String? = nil, clientIDs: [String] = [MintOrder.defaultBundleID]) throws {
        let listener = try Listener.tcp(host: "127.0.0.1", port: 0)
        port = listener.port ?? 0
        service = try StandIn(
            base: "http://127.0.0.1:\(port)", folder: folder,
            developer: try DeveloperAccount(in: folder, clientIDs: clientIDs))
        let server = service.server(on: listener)
        let mailListener = try Listener.tcp(host: "127.0.0.1", port: 0)
        mailPort = mailListener.port ?? 0
        try service.receiveMail(on: mailListener)
        _ = try Thread.spawn(name: "stand-in") { try? server.run() }
    }

    package func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    package func issuer(_ name: String) -> String { url("/openid/\(name)") }

    /// The value of `SMS_URL`; `SMS_SECRET` is `WebhookKeys.usualSecret`.
    package var smsURL: String { url("/sms") }

    /// The value of `NUMBER_URL`; `NUMBER_SECRET` is `WebhookKeys.usualNumberSecret`.
    package var numberURL: String { url("/number") }

    /// The value of `SMTP_URL`. The server accepts any credentials, and none, until `/mail/settings` names some.
    package var smtpURL: String { "smtp://127.0.0.1:\(mailPort)" }

    /// What has arrived at both.
    package var inbox: Inbox { service.inbox }

    /// Performs a request that controls a party, such as `/openid/google/mint` or `/sms/faults`.
    @discardableResult
    package func control(_ path: String, _ body: JSONObject = [:], method: String = "POST") throws -> JSONObject {
        try service.control(path, body, method: method)
    }
}
