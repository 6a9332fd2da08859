import DevelopmentHTTP
package import JSON
import POSIX
import Sockets

/// The providers, the gateway for text messages and the mail server on ports of this machine, in this process, for tests.
/// It serves until the process ends.
package final class FakeProviderServer: Sendable {
    package let service: FakeProvidersService
    package let port: UInt16
    package let mailPort: UInt16

    /// - Parameter folder: where the keys are kept, those of a provider in `openid-NAME.pem`; nil to generate new ones.
    package init(folder: String? = nil) throws {
        let listener = try Listener.tcp(host: "127.0.0.1", port: 0)
        port = listener.port ?? 0
        let service = FakeProvidersService(base: "http://127.0.0.1:\(port)", folder: folder)
        self.service = service
        let server = HTTPServer("fake-providers", on: listener, advice: "use 127.0.0.1") { request in
            service.answer(request) ?? .reply(FakeProvidersService.unknownPath.reply)
        }
        let mailListener = try Listener.tcp(host: "127.0.0.1", port: 0)
        mailPort = mailListener.port ?? 0
        try service.receiveMail(on: mailListener)
        _ = try Thread.spawn(name: "fake-providers") { try? server.run() }
    }

    package func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    package func issuer(_ name: String) -> String { url("/openid/\(name)") }

    /// The value of `SMS_URL`; `SMS_SECRET` is `WebhookKeys.usualSecret`.
    package var smsURL: String { url("/sms") }

    /// The value of `SMTP_URL`. The server accepts any credentials, and none, until `/mail/settings` names some.
    package var smtpURL: String { "smtp://127.0.0.1:\(mailPort)" }

    /// What has arrived at both.
    package var inbox: Inbox { service.inbox }

    /// Performs a request that controls a provider, such as `/openid/google/mint` or `/sms/faults`.
    @discardableResult
    package func control(_ path: String, _ body: JSONObject = [:], method: String = "POST") throws -> JSONObject {
        try service.control(path, body, method: method)
    }
}
