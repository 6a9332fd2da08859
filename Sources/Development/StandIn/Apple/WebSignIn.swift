import DevelopmentHTTP
import JSON
import OpenSSL

/// The user of Apple's page.
struct WebUser {
    let subject: String
    let email: String
    let givenName: String
    let familyName: String
    let hidesEmail: Bool

    /// - Parameter form: `sub` takes the place of the subject that follows from the email, so that a user is one whom an app
    ///   has signed in.
    init(_ email: String, _ form: FormFields?) {
        self.email = email
        subject = form?["sub"] ?? Self.subject(of: email)
        let name = form?["name"] ?? ""
        givenName = String(name.prefix { $0 != " " })
        familyName = String(name.dropFirst(givenName.count).drop { $0 == " " })
        hidesEmail = form?["hide_email"] != nil
    }

    private static func subject(of email: String) -> String {
        RandomText.appleSubject(SHA256.hash(Array(email.lowercased().utf8)).prefix(16))
    }
}

/// A sign-in at Apple's page.
struct WebSignIn {
    let request: WebAuthorizationRequest
    let user: WebUser
    let changes: TokenChanges

    /// Issues a code.
    func parameters(
        _ keys: PublishedKeys, _ grants: GrantStore, _ transfers: TransferStore, now: Int64
    ) throws -> [(String, String?)] {
        let view = transfers.view
        let person = Person(
            subject: view.person(of: user.subject), audience: request.clientID,
            email: user.hidesEmail ? nil : user.email,
            era: .booleans, sharesEmail: request.scopes.contains("email"))
        transfers.remember(person)
        let code = RandomText.ofApple("c")
        let web = WebCode(redirectURI: request.redirectURI, nonce: request.nonce, changes: changes)
        let isFirst = grants.add(code, AuthorizationCode(person: person, issuedAt: now, web: web))
        var token: String?
        if request.wantsToken {
            token = Mint(key: try keys.signing(changes), view: view)
                .webToken(for: person, code: code, web: web, now: now)
        }
        return [("code", code), ("id_token", token), ("user", isFirst ? description(of: person.seen(by: view)) : nil)]
    }

    /// What the answer to the first consent has beside the token. Nil if nothing of it was asked for.
    private func description(of person: Person) -> String? {
        var json: JSONObject = [:]
        if request.scopes.contains("name") {
            json["name"] = ["firstName": .string(user.givenName), "lastName": .string(user.familyName)]
        }
        if request.scopes.contains("email") { json["email"] = .string(person.address) }
        return json.members.isEmpty ? nil : json.description
    }
}
