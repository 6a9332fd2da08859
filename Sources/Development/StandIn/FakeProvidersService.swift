package import DevelopmentHTTP
package import JSON
package import POSIX
package import Sockets

/// Stands in for OpenID Connect providers, WeChat and QQ, and for what sends text messages and mails: over HTTP, or called
/// directly by tests.
/// Copies share their state.
package struct FakeProvidersService: Sendable {
    private let kinds: [(prefix: String, kind: any ProviderKind)]
    private let log: ProviderRequestLog
    private let clock: @Sendable () -> Int64
    private let mail: FakeMail
    /// What Gatehouse has sent by text message and by mail.
    package let inbox = Inbox()

    /// - Parameters:
    ///   - base: the address at which Gatehouse reaches it, such as `http://127.0.0.1:8444`; part of the issuers.
    ///   - folder: where the keys are kept; nil to lose them with the process.
    ///   - keys: those that the gateway for text messages accepts.
    ///   - clock: the time in seconds since 1970.
    ///   - report: is called with each request, also those that control a provider. It gets no secrets.
    package init(
        base: String, folder: String? = nil, keys: WebhookKeys = .usual,
        clock: @escaping @Sendable () -> Int64 = { WallClock.millisecondsSince1970() / 1000 },
        report: @escaping @Sendable (JSONObject) -> Void = { _ in }
    ) {
        log = ProviderRequestLog(report: report)
        self.clock = clock
        mail = FakeMail(inbox: inbox, log: log, clock: clock)
        kinds = [
            ("/openid", OpenIDProviders(base: base, folder: folder, log: log)),
            ("/wechat", FakeWeChat(log: log)), ("/qq", FakeQQ(log: log)),
            ("/sms", FakeSMSGateway(keys: keys, inbox: inbox, log: log)), ("/mail", mail),
            ("/inbox", InboxEndpoints(inbox: inbox)),
        ]
    }

    /// Receives mail on a thread of its own until the process ends.
    package func receiveMail(on listener: consuming Listener) throws(POSIXError) {
        let server = FakeMailServer(mail, on: listener)
        _ = try Thread.spawn(name: "fake-mail") { try? server.run() }
    }

    /// Nil for a path that belongs to none of the providers.
    package func answer(_ request: HTTPRequest) -> HTTPAction? {
        guard let (kind, path) = kind(of: request) else { return nil }
        if let action = kind.answer(request, at: path, now: clock()) { return action }
        let reply = controlReply(to: request, kind, path)
        log.report(control: request, status: reply.statusCode)
        return .reply(reply)
    }

    /// Performs a request that controls a provider.
    ///
    /// - Parameter path: such as `/openid/google/mint`.
    package func control(_ path: String, _ body: JSONObject = [:], method: String = "POST") throws -> JSONObject {
        let request = HTTPRequest(method: method, target: path, body: body.bytes)
        guard let (kind, path) = kind(of: request) else { throw Self.unknownPath }
        return try kind.control(request, at: path, now: clock())
    }

    /// Lets the website app that a provider knows have users come back to an address.
    ///
    /// - Parameter name: `wechat`, `qq`, or that of an OpenID provider.
    package func register(redirectURI: String, at name: String) throws {
        let path = ["wechat", "qq"].contains(name) ? "/\(name)/website" : "/openid/\(name)/clients"
        _ = try control(path, ["redirectURIs": [.string(redirectURI)]])
    }

    private func kind(of request: HTTPRequest) -> (any ProviderKind, path: String)? {
        let path = request.path
        for (prefix, kind) in kinds {
            if path == prefix { return (kind, "") }
            if path.hasPrefix(prefix + "/") { return (kind, String(path.dropFirst(prefix.count + 1))) }
        }
        return nil
    }

    private func controlReply(to request: HTTPRequest, _ kind: any ProviderKind, _ path: String) -> HTTPReply {
        do {
            // The control endpoints need no credentials, so a page of another origin must not call them.
            guard request.isFromSameOrigin(.http) else { throw Self.otherOrigin }
            return .ok(try kind.control(request, at: path, now: clock()))
        } catch let refusal as HTTPRefusal {
            return refusal.reply
        } catch {
            return .refusal("500 Internal Server Error", "\(error)")
        }
    }

    package static let unknownPath = HTTPRefusal(
        "404 Not Found", "/openid/NAME, /wechat, /qq, /sms, /mail, /inbox")

    private static let otherOrigin = HTTPRefusal(
        "403 Forbidden", "the request comes from a web page of another origin: send it from a program")
}
