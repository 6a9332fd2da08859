import DevelopmentHTTP
import JSON
import Synchronization

/// Plays a provider of this kind: its API, and its website apps with the page at which users sign in to them.
final class CodeProvider<Kind: CodeProviderKind>: Party {
    /// What happens when the user of the page declines.
    private enum Denial: String {
        /// The browser goes back to the website.
        case redirect
        /// The page stays, and the website is not told.
        case stay
    }

    private let responder: Responder
    private let app = Mutex(Kind.app)
    private let websites = WebClients(Kind.website)
    private let grants = Mutex(CodeGrants<Kind>())
    private let forged = ForgedAnswers()
    private let denial = Mutex(Denial.redirect)

    init(log: RequestLog) {
        responder = Responder(log: log)
    }

    func control(_ request: HTTPRequest, at path: String, now: Int64) throws -> JSONObject {
        switch (request.method, path) {
        case ("POST", "mint"): return try mint(try request.object(), now: now)
        case ("POST", "app"): try changeApp(try request.object())
        case ("POST", "website"):
            websites.register(try WebClient(try request.object(), usual: Kind.website, names: Kind.members))
        case ("POST", "page"): try setDenial(try request.object())
        case ("POST", "answers"): forged.add(try ForgedAnswer(try request.object(), hasToken: false))
        case ("DELETE", "answers"): forged.clear()
        default:
            let answer = try responder.control(request, at: path, below: Kind.prefix + "/", modes: Kind.modes)
            guard let answer else { throw Self.unknownPath }
            return answer
        }
        return [:]
    }

    private func mint(_ json: JSONObject, now: Int64) throws(HTTPRefusal) -> JSONObject {
        let order = try CodeOrder<Kind>(json)
        return grants.withLock { grants in
            let code = grants.addCode(order.user, isExpired: order.isExpired, now: now)
            guard Kind.hasAppTokens else { return ["code": .string(code)] }
            let grant = grants.add(order.user, isExpired: order.isExpired, now: now)
            return ["code": .string(code), "accessToken": .string(grant.accessToken)]
        }
    }

    /// What the body leaves out is as usual.
    private func changeApp(_ json: JSONObject) throws(HTTPRefusal) {
        var order = OrderReader(json)
        let changed = WebClient(
            id: order.text(Kind.members.id) ?? Kind.app.id, secret: order.text(Kind.members.secret) ?? Kind.app.secret)
        try order.end("known are the texts \(Kind.members.id), \(Kind.members.secret)")
        app.withLock { $0 = changed }
    }

    private func setDenial(_ json: JSONObject) throws(HTTPRefusal) {
        guard json.names == ["denial"], let chosen = json["denial"]?.string.flatMap(Denial.init(rawValue:)) else {
            throw .invalid("needed is denial (redirect, stay)")
        }
        denial.withLock { $0 = chosen }
    }

    private static var unknownPath: HTTPRefusal {
        let paths = Kind.endpoints.map(\.path).reduce(into: [Kind.pagePath]) { if !$0.contains($1) { $0.append($1) } }
        return HTTPRefusal(
            "404 Not Found",
            "below \(Kind.prefix): \(paths.joined(separator: ", ")); to control it: mint, app, faults, requests, website, "
                + "page, answers")
    }
}

// MARK: - The API

extension CodeProvider {
    func answer(_ request: HTTPRequest, at path: String, now: Int64) -> HTTPAction? {
        if ["GET", "POST"].contains(request.method), path == Kind.pagePath { return page(request, now: now) }
        let parameters = request.parameters
        let found = Kind.endpoints.filter { $0.path == path }
        guard request.method == "GET",
            let endpoint = found.first(where: { $0.call.rawValue == parameters["grant_type"] }) ?? found.first
        else { return nil }
        return responder.answer(request, fields: parameters.knownNames) { [self] settings in
            let body: [UInt8]
            var code: Int64?
            do throws(CodeError) {
                if let code = settings.errorCode { throw CodeError(code) }
                body = try answer(endpoint, parameters, now: now)
            } catch {
                body = Kind.answer(endpoint.call, error, parameters, settings.mode, now: now)
                code = error.code
            }
            var reply = HTTPReply.ok(body)
            reply.contentType = settings.mode == .json ? "application/json; encoding=utf-8" : Kind.contentType
            return PartyReply(reply: reply, errorCode: code)
        }
    }

    private func answer(
        _ endpoint: CodeEndpoint, _ parameters: FormFields, now: Int64
    ) throws(CodeError) -> [UInt8] {
        for (name, error) in endpoint.demanded {
            guard let value = parameters[name], name != "grant_type" || value == endpoint.call.rawValue else {
                throw error
            }
        }
        let app = app.withLock { $0 }
        let grant = try grants.withLock { grants throws(CodeError) in
            switch endpoint.call {
            case .exchange, .refresh:
                let id = try authenticate(endpoint, parameters, app)
                return endpoint.call == .exchange
                    ? try grants.redeem(parameters, now: now) { $0.clientID ?? app.id == id }
                    : try grants.refresh(parameters, now: now) { $0.clientID ?? app.id == id }
            case .check, .profile: return try grants.grant(for: endpoint, parameters, app.id, now: now)
            }
        }
        return try Kind.answer(endpoint.call, grant, of: grant.user.clientID ?? app.id, parameters)
    }

    /// Returns the id of the app.
    private func authenticate(
        _ endpoint: CodeEndpoint, _ parameters: FormFields, _ app: WebClient
    ) throws(CodeError) -> String {
        let id = endpoint.client.flatMap { parameters[$0] } ?? ""
        guard let known = id == app.id ? app : websites[id] else { throw Kind.error(.unknownApp) }
        guard let secret = endpoint.secret else { return id }
        guard parameters[secret] == known.secret else { throw Kind.error(.wrongSecret) }
        return id
    }
}

// MARK: - The page

extension CodeProvider {
    private func page(_ request: HTTPRequest, now: Int64) -> HTTPAction {
        responder.answer(request, fields: request.query?.knownNames ?? []) { [self] settings in
            do throws(PageFault) {
                if let code = settings.errorCode { throw Kind.pageFault(CodeError(code)) }
                let asked = try Kind.pageRequest(request, websites)
                return PartyReply(reply: try reply(to: request, asked, now: now))
            } catch {
                return PartyReply(reply: WebPage.fault(of: Kind.name, error.error, error.reason).reply)
            }
        }
    }

    private func reply(
        to request: HTTPRequest, _ asked: AuthorizationRequest, now: Int64
    ) throws(PageFault) -> HTTPReply {
        guard request.method == "POST" else {
            return SignInPage(
                provider: Kind.name, client: asked.clientID, redirectURI: asked.redirectURI,
                user: "\(Kind.name) account", fields: [.text(name: "name", label: "Nickname")], button: Kind.button
            ).reply
        }
        switch try SignInChoice(request, at: Kind.name) {
        case .signIn(let account):
            let user = CodeUser(Kind.self, account: account, request.form, asked)
            let code = grants.withLock { $0.addCode(user, now: now) }
            return reply(to: asked, [("code", code)], for: account)
        case .cancel(let account):
            guard denial.withLock({ $0 }) == .redirect else {
                return WebPage.notice(of: Kind.name, "You have declined. The website is not told.").reply
            }
            return reply(to: asked, Kind.denial, for: account)
        }
    }

    private func reply(
        to asked: AuthorizationRequest, _ parameters: [(String, String?)], for user: String?
    ) -> HTTPReply {
        forged.reply(for: user) { _ in
            AuthorizationAnswer(of: Kind.name, to: asked.redirectURI, parameters + [("state", asked.state)])
        }
    }
}
