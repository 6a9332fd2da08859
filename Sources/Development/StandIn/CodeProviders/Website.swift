import DevelopmentHTTP
import JSON
import Synchronization

/// The website apps that WeChat or QQ knows beside the one for phones, and the page at which users sign in to them.
final class Website: Sendable {
    static let controls = ["website", "page", "answers"]

    /// What happens when the user declines.
    private enum Denial: String, CaseIterable {
        /// The browser goes back to the website.
        case redirect
        /// The page stays, and the website is not told.
        case stay
    }

    let provider: String
    let clients: WebClients
    private let usual: WebClient
    private let names: (id: String, secret: String)
    private let button: String
    private let forged = ForgedAnswers()
    private let denial = Mutex(Denial.redirect)

    /// - Parameters:
    ///   - names: of the members for the id and the secret of an app.
    ///   - button: what signs in.
    init(of provider: String, usual: WebClient, names: (id: String, secret: String), button: String) {
        self.provider = provider
        self.usual = usual
        self.names = names
        self.button = button
        clients = WebClients(usual)
    }

    /// Nil for another path.
    func control(_ request: HTTPRequest, at path: String) throws -> JSONObject? {
        switch (request.method, path) {
        case ("POST", "website"):
            clients.register(try WebClient(try request.object(), usual: usual, names: names))
        case ("POST", "page"): try setDenial(try request.object())
        case ("POST", "answers"): forged.add(try ForgedAnswer(try request.object(), hasToken: false))
        case ("DELETE", "answers"): forged.clear()
        default: return nil
        }
        return [:]
    }

    private func setDenial(_ json: JSONObject) throws(HTTPRefusal) {
        guard json.names == ["denial"], let chosen = json["denial"]?.string.flatMap(Denial.init(rawValue:)) else {
            let known = Denial.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalid("needed is denial (\(known))")
        }
        denial.withLock { $0 = chosen }
    }
}

/// What a website asks for.
struct WebsiteRequest {
    let clientID: String
    let redirectURI: String
    let state: String?
}

extension Website {
    /// The page, or what its form has it answer.
    ///
    /// - Parameters:
    ///   - denied: the answer when the user declines, without the state.
    ///   - code: issues a code for a user of the page.
    func answer(
        _ request: HTTPRequest, to asked: WebsiteRequest, denied: [(String, String?)],
        code: (_ user: String, _ form: FormFields?) -> String
    ) throws(PageFault) -> HTTPReply {
        guard request.method == "POST" else {
            return SignInPage(
                of: provider, for: asked.clientID, redirectURI: asked.redirectURI, user: "\(provider) account",
                fields: [.text(name: "name", label: "Nickname")], button: button
            ).reply
        }
        switch try SignInChoice(request, at: provider) {
        case .signIn(let user):
            return answer(to: asked, [("code", code(user, request.form))], for: user)
        case .cancel(let user):
            guard denial.withLock({ $0 }) == .redirect else {
                return WebPage.notice(of: provider, "You have declined. The website is not told.").reply
            }
            return answer(to: asked, denied, for: user)
        }
    }

    private func answer(
        to asked: WebsiteRequest, _ parameters: [(String, String?)], for user: String?
    ) -> HTTPReply {
        let answer = AuthorizationAnswer(of: provider, to: asked.redirectURI, parameters + [("state", asked.state)])
        return (forged.next(for: user)?.changed(answer) ?? answer).reply
    }
}
