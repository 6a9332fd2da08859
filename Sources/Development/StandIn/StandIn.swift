package import DevelopmentHTTP
package import JSON
package import POSIX
package import Sockets

/// Plays the parties that Gatehouse talks to: Apple, OpenID Connect providers, WeChat, QQ, the gateway for text messages, the
/// mail server and the receiver for one-tap sign-in. It does so over HTTP and SMTP, or is called directly by tests. Copies share their state.
package struct StandIn: Sendable {
    package let apple: Apple
    /// What Gatehouse has sent by text message and by mail.
    package let inbox = Inbox()
    private let parties: [(prefix: String, party: any Party)]
    private let log: RequestLog
    private let clock: @Sendable () -> Int64
    private let mail: FakeMail

    /// - Parameters:
    ///   - base: the address at which Gatehouse reaches it, such as `http://127.0.0.1:8444`; part of the issuers.
    ///   - folder: where keys and grants are kept; nil to lose them with the process.
    ///   - developer: Apple's; nil for the usual one.
    ///   - sender: posts Apple's notifications.
    ///   - smsKeys: those that the gateway for text messages accepts; numberKeys are those of the receiver for one-tap sign-in.
    ///   - clock: the time in seconds since 1970.
    ///   - report: is called with each request, also those that control a party. It gets no secrets.
    package init(
        base: String, folder: String? = nil, developer: DeveloperAccount? = nil,
        sender: NotificationSender = NotificationSender(), smsKeys: WebhookKeys = .usual,
        numberKeys: WebhookKeys = .usualOfNumbers,
        clock: @escaping @Sendable () -> Int64 = { WallClock.millisecondsSince1970() / 1000 },
        report: @escaping @Sendable (JSONObject) -> Void = { _ in }
    ) throws {
        log = RequestLog(report: report)
        self.clock = clock
        let developer =
            try developer ?? DeveloperAccount(in: folder, clientIDs: [MintOrder.defaultBundleID])
        apple = try Apple(folder: folder, developer: developer, sender: sender, log: log, clock: clock)
        mail = FakeMail(inbox: inbox, log: log, clock: clock)
        parties = [
            ("/openid", OpenIDProviders(base: base, folder: folder, log: log)),
            (WeChat.prefix, CodeProvider<WeChat>(log: log)), (QQ.prefix, CodeProvider<QQ>(log: log)),
            ("/sms", FakeSMSGateway(keys: smsKeys, inbox: inbox, log: log)), ("/mail", mail),
            ("/inbox", InboxEndpoints(inbox: inbox)), ("/number", FakeNumberReceiver(keys: numberKeys, log: log)),
        ]
    }

    package func server(on listener: consuming Listener, names: HostNames = HostNames()) -> HTTPServer {
        HTTPServer(
            "stand-in", on: listener, names: names,
            advice: "if it is a name of this one, start the program with --host NAME", answer: answer)
    }

    /// Receives mail on a thread of its own until the process ends.
    package func receiveMail(on listener: consuming Listener) throws(POSIXError) {
        let server = FakeMailServer(mail, on: listener)
        _ = try Thread.spawn(name: "fake-mail") { try? server.run() }
    }

    func answer(_ request: HTTPRequest) -> HTTPAction {
        let (party, path) = party(for: request)
        if let action = party.answer(request, at: path, now: clock()) { return action }
        let reply = controlReply(to: request, party, path)
        log.report(control: request, status: reply.statusCode)
        return .reply(reply)
    }

    /// Performs a request that controls a party.
    ///
    /// - Parameter path: such as `/openid/google/mint`.
    package func control(_ path: String, _ body: JSONObject = [:], method: String = "POST") throws -> JSONObject {
        let request = HTTPRequest(method: method, target: path, body: body.bytes)
        let (party, path) = party(for: request)
        return try party.control(request, at: path, now: clock())
    }

    /// Lets the website app that a provider knows have users come back to an address.
    ///
    /// - Parameter name: `wechat`, `qq`, or that of an OpenID provider.
    package func register(redirectURI: String, at name: String) throws {
        let path = ["wechat", "qq"].contains(name) ? "/\(name)/website" : "/openid/\(name)/clients"
        _ = try control(path, ["redirectURIs": [.string(redirectURI)]])
    }

    /// Every other path is Apple's.
    private func party(for request: HTTPRequest) -> (any Party, path: String) {
        let path = request.path
        for (prefix, party) in parties {
            if path == prefix { return (party, "") }
            if path.hasPrefix(prefix + "/") { return (party, String(path.dropFirst(prefix.count + 1))) }
        }
        return (apple, String(path.dropFirst()))
    }

    private func controlReply(to request: HTTPRequest, _ party: any Party, _ path: String) -> HTTPReply {
        do {
            // The control endpoints need no credentials, so a page of another origin must not call them.
            guard request.isFromSameOrigin(.http) else { throw Self.otherOrigin }
            return .ok(try party.control(request, at: path, now: clock()))
        } catch let refusal as HTTPRefusal {
            return refusal.reply
        } catch {
            return .refusal("500 Internal Server Error", "\(error)")
        }
    }

    private static let otherOrigin = HTTPRefusal(
        "403 Forbidden",
        "the request comes from a web page of another origin: send it from a program, or use the console")
}
