import DevelopmentHTTP
import JSON

/// `GET /auth/authorize`, the page at which a user signs in to a website or an app on another system, and what its form
/// posts.
struct AuthorizePage {
    static let path = "/auth/authorize"

    let services: ServicesIDs
    let keys: PublishedKeys
    let grants: GrantStore
    let forged: ForgedAnswers
    let transfers: TransferStore

    func answer(_ request: HTTPRequest, now: Int64) throws -> HTTPReply {
        let asked = try WebAuthorizationRequest(request, services)
        guard request.method == "POST" else { return page(for: asked) }
        let answer: AuthorizationAnswer
        let user: String?
        switch try SignInChoice(request, at: "Apple") {
        case .cancel(let canceller):
            user = canceller
            answer = Self.answer(to: asked, [("error", "user_cancelled_authorize")])
            return (forged.next(for: user)?.changed(answer) ?? answer).reply
        case .signIn(let text):
            let change = forged.next(for: text)
            let signIn = WebSignIn(
                request: asked, user: WebUser(text, request.form), changes: change?.token ?? TokenChanges())
            answer = Self.answer(to: asked, try signIn.parameters(keys, grants, transfers, now: now))
            return (change?.changed(answer) ?? answer).reply
        }
    }

    private static func answer(
        to request: WebAuthorizationRequest, _ parameters: [(String, String?)]
    ) -> AuthorizationAnswer {
        AuthorizationAnswer(
            of: "Apple", to: request.redirectURI, by: request.mode, [("state", request.state)] + parameters)
    }

    private func page(for request: WebAuthorizationRequest) -> HTTPReply {
        var fields: [SignInPage.Field] = []
        if request.scopes.contains("name") {
            fields.append(.text(name: "name", label: "Name, which the first answer has", value: "Ann Example"))
        }
        if request.scopes.contains("email") {
            fields.append(.checkbox(name: "hide_email", label: "Hide my email"))
        }
        return SignInPage(of: "Apple", for: request.clientID, redirectURI: request.redirectURI, fields: fields).reply
    }
}
