import DevelopmentHTTP
import JSON
import Synchronization

/// The app that QQ knows.
struct QQApp: Equatable, Sendable {
    var id = "101234567"
    var key = "q0123456789abcdef0123456789abcdef"

    /// What the body of `POST /qq/app` leaves out is as usual. Refuses unknown members.
    init(_ json: JSONObject) throws(HTTPRefusal) {
        for (name, value) in json.members {
            switch (name, value) {
            case ("appID", .string(let text)): id = text
            case ("appKey", .string(let text)): key = text
            default: throw .invalid("\(name): known are the texts appID, appKey")
            }
        }
    }

    init() {}
}

/// Stands in for QQ's servers.
final class FakeQQ: ProviderKind {
    private static let prefix = "/qq/"

    private let responder: Responder
    private let app = Mutex(QQApp())
    private let website = Website(
        of: "QQ", usual: QQPage.usualClient, names: ("appID", "appKey"), button: "Sign in, and authorize")
    private let grants = Mutex(QQGrants())

    init(log: ProviderRequestLog) {
        responder = Responder(log: log)
    }

    func answer(_ request: HTTPRequest, at path: String, now: Int64) -> HTTPAction? {
        if ["GET", "POST"].contains(request.method), path == QQPage.path { return page(request, now: now) }
        guard request.method == "GET", QQEndpoints.paths.contains(path) else { return nil }
        let parameters = Parameters(request)
        return responder.answer(request, fields: parameters.knownNames) { [self] settings in
            let endpoints = QQEndpoints(
                app: app.withLock { $0 }, websites: website.clients, parameters: parameters, now: now)
            let isJSON = parameters["fmt"] == "json"
            do throws(QQError) {
                if let code = settings.errorCode { throw QQError(code) }
                let body = try grants.withLock { grants throws(QQError) in try endpoints.body(for: path, &grants) }
                return ProviderReply(reply: Self.reply(body.bytes(asJSON: isJSON), settings.mode))
            } catch {
                let body = QQBody.error(
                    error, at: path, asJSON: isJSON, hasComma: settings.mode == .trailingComma)
                return ProviderReply(reply: Self.reply(body, settings.mode), errorCode: error.code)
            }
        }
    }

    private func page(_ request: HTTPRequest, now: Int64) -> HTTPAction {
        responder.answer(request, fields: Parameters.known(request.query?.names ?? [])) { [self] settings in
            do throws(PageFault) {
                if let code = settings.errorCode { throw PageFault("\(code)", QQError(code).message) }
                let page = QQPage(website: website, request: request)
                return ProviderReply(
                    reply: try page.answer { user in grants.withLock { $0.addCode(user, now: now) } })
            } catch {
                return ProviderReply(reply: WebPage.fault(of: "QQ", error.error, error.reason).reply)
            }
        }
    }

    private static func reply(_ body: [UInt8], _ mode: AnswerMode) -> HTTPReply {
        var reply = HTTPReply.ok(body)
        reply.contentType = mode == .json ? "application/json; encoding=utf-8" : "text/html"
        return reply
    }

    func control(_ request: HTTPRequest, at path: String, now: Int64) throws -> JSONObject {
        switch (request.method, path) {
        case ("POST", "mint"):
            let order = try QQOrder(try request.object())
            let minted = grants.withLock { $0.add(order, now: now) }
            return ["code": .string(minted.code), "accessToken": .string(minted.accessToken)]
        case ("POST", "app"):
            let changed = try QQApp(try request.object())
            app.withLock { $0 = changed }
            return [:]
        default:
            if let answer = try website.control(request, at: path) { return answer }
            let answer = try responder.control(request, at: path, below: Self.prefix, modes: AnswerMode.ofQQ)
            guard let answer else { throw Self.unknownPath }
            return answer
        }
    }

    private static let unknownPath = HTTPRefusal(
        "404 Not Found",
        "below /qq: " + ([QQPage.path] + QQEndpoints.paths).joined(separator: ", ")
            + "; to control it: mint, app, faults, requests, " + Website.controls.joined(separator: ", "))
}
