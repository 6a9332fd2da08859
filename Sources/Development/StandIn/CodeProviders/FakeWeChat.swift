import DevelopmentHTTP
import JSON
import Synchronization

/// The app that WeChat knows.
struct WeChatApp: Equatable, Sendable {
    var id = "wx1234567890abcdef"
    var secret = "0123456789abcdef0123456789abcdef"

    /// What the body of `POST /wechat/app` leaves out is as usual. Refuses unknown members.
    init(_ json: JSONObject) throws(HTTPRefusal) {
        for (name, value) in json.members {
            switch (name, value) {
            case ("appID", .string(let text)): id = text
            case ("appSecret", .string(let text)): secret = text
            default: throw .invalid("\(name): known are the texts appID, appSecret")
            }
        }
    }

    init() {}
}

/// Stands in for WeChat's servers.
final class FakeWeChat: ProviderKind {
    private static let prefix = "/wechat/"

    private let responder: Responder
    private let app = Mutex(WeChatApp())
    private let website = Website(
        of: "WeChat", usual: WeChatPage.usualClient, names: ("appID", "appSecret"), button: "Scan, and confirm")
    private let grants = Mutex(WeChatGrants())

    init(log: ProviderRequestLog) {
        responder = Responder(log: log)
    }

    func answer(_ request: HTTPRequest, at path: String, now: Int64) -> HTTPAction? {
        if ["GET", "POST"].contains(request.method), path == WeChatPage.path { return page(request, now: now) }
        guard request.method == "GET", WeChatEndpoints.paths.contains(path) else { return nil }
        let parameters = Parameters(request)
        return responder.answer(request, fields: parameters.knownNames) { [self] settings in
            let endpoints = WeChatEndpoints(
                app: app.withLock { $0 }, websites: website.clients, parameters: parameters, now: now)
            do throws(WeChatError) {
                if let code = settings.errorCode { throw WeChatError(code) }
                let body = try grants.withLock { grants throws(WeChatError) in try endpoints.body(for: path, &grants) }
                return ProviderReply(reply: Self.reply(body, settings.mode))
            } catch {
                return ProviderReply(
                    reply: Self.reply(error.json(now: now).bytes, settings.mode), errorCode: error.code)
            }
        }
    }

    private func page(_ request: HTTPRequest, now: Int64) -> HTTPAction {
        responder.answer(request, fields: Parameters.known(request.query?.names ?? [])) { [self] settings in
            do throws(PageFault) {
                if let code = settings.errorCode { throw PageFault("\(code)", "The request has failed.") }
                let page = WeChatPage(website: website, request: request)
                return ProviderReply(
                    reply: try page.answer { user in grants.withLock { $0.add(user, now: now) } })
            } catch {
                return ProviderReply(reply: WebPage.fault(of: "WeChat", error.error, error.reason).reply)
            }
        }
    }

    private static func reply(_ body: [UInt8], _ mode: AnswerMode) -> HTTPReply {
        var reply = HTTPReply.ok(body)
        reply.contentType = mode == .json ? "application/json; encoding=utf-8" : "text/plain"
        return reply
    }

    func control(_ request: HTTPRequest, at path: String, now: Int64) throws -> JSONObject {
        switch (request.method, path) {
        case ("POST", "mint"):
            let order = try WeChatOrder(try request.object())
            return ["code": .string(grants.withLock { $0.add(order.user, isExpired: order.isExpired, now: now) })]
        case ("POST", "app"):
            let changed = try WeChatApp(try request.object())
            app.withLock { $0 = changed }
            return [:]
        default:
            if let answer = try website.control(request, at: path) { return answer }
            let answer = try responder.control(request, at: path, below: Self.prefix, modes: AnswerMode.ofWeChat)
            guard let answer else { throw Self.unknownPath }
            return answer
        }
    }

    private static let unknownPath = HTTPRefusal(
        "404 Not Found",
        "below /wechat: " + ([WeChatPage.path] + WeChatEndpoints.paths).joined(separator: ", ")
            + "; to control it: mint, app, faults, requests, " + Website.controls.joined(separator: ", "))
}
