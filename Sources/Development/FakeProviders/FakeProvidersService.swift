package import DevelopmentHTTP
package import JSON
import POSIX

/// Stands in for OpenID Connect providers, WeChat and QQ: over HTTP, or called directly by tests.
/// Copies share their state.
package struct FakeProvidersService: Sendable {
    private let kinds: [(prefix: String, kind: any ProviderKind)]
    private let log: ProviderRequestLog
    private let clock: @Sendable () -> Int64

    /// - Parameters:
    ///   - base: the address at which Gatehouse reaches it, such as `http://127.0.0.1:8444`; part of the issuers.
    ///   - folder: where the keys are kept; nil to lose them with the process.
    ///   - clock: the time in seconds since 1970.
    ///   - report: is called with each request, also those that control a provider. It gets no secrets.
    package init(
        base: String, folder: String? = nil,
        clock: @escaping @Sendable () -> Int64 = { WallClock.millisecondsSince1970() / 1000 },
        report: @escaping @Sendable (JSONObject) -> Void = { _ in }
    ) {
        log = ProviderRequestLog(report: report)
        self.clock = clock
        kinds = [
            ("/openid/", OpenIDProviders(base: base, folder: folder, log: log)),
            ("/wechat/", FakeWeChat(log: log)), ("/qq/", FakeQQ(log: log)),
        ]
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

    private func kind(of request: HTTPRequest) -> (any ProviderKind, path: String)? {
        let path = request.path
        guard let (prefix, kind) = kinds.first(where: { path.hasPrefix($0.prefix) }) else { return nil }
        return (kind, String(path.dropFirst(prefix.count)))
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

    private static let unknownPath = HTTPRefusal("404 Not Found", "/openid/NAME, /wechat, /qq")

    private static let otherOrigin = HTTPRefusal(
        "403 Forbidden", "the request comes from a web page of another origin: send it from a program")
}
