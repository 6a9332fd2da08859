package import DevelopmentHTTP
package import JSON
import OpenSSL

/// The contents of a login to mint. Members that are left out get the values of a usual login with Apple.
package struct MintOrder: Sendable {
    package static let defaultBundleID = "com.example.app"

    package var subject: String?
    package var audience: String
    package var nonce: String?
    package var email: String?
    package var givenName: String?
    package var familyName: String?
    /// The subject in another team, while the app is being transferred to that team.
    package var transferSubject: String?
    package var era = Era.booleans
    /// Members that replace the usual ones; `null` removes one.
    package var claims: JSONObject = [:]
    package var header: JSONObject = [:]

    package init(audience: String = Self.defaultBundleID) {
        self.audience = audience
    }

    /// Reads the body of `POST /mint`.
    package init(_ json: JSONObject, audience: String) throws(HTTPRefusal) {
        var order = OrderReader(json)
        subject = order.text("sub")
        self.audience = order.text("aud") ?? audience
        nonce = order.text("nonce")
        email = order.text("email")
        givenName = order.text("givenName")
        familyName = order.text("familyName")
        transferSubject = order.text("transferSub")
        era = order.choice("era") ?? era
        claims = order.object("claims") ?? [:]
        header = order.object("header") ?? [:]
        try order.end(
            "known are the strings sub, aud, nonce, email, givenName, familyName, transferSub, era "
                + "(\(Era.allCases.map(\.rawValue).joined(separator: ", "))) and the objects claims, header")
    }
}

/// A minted login, and the data for exchanging its code.
struct MintedLogin {
    /// The body that an app posts: the token and the fields beside it.
    let body: JSONObject
    let code: String
    /// The user of the code.
    let person: Person
    let authenticatedAt: Int64
}

// Tokens in the form of Apple's.
extension Mint {
    /// The body of a login. Its code cannot be exchanged.
    ///
    /// - Parameter view: how the owner of the app sees persons.
    package func login(_ order: MintOrder, view: TeamView = TeamView(), now: Int64) -> JSONObject {
        mintLogin(order, view: view, now: now).body
    }

    func mintLogin(_ order: MintOrder, view: TeamView, now: Int64) -> MintedLogin {
        let subject = order.subject.map(view.person) ?? RandomText.appleSubject()
        let person = Person(subject: subject, audience: order.audience, email: order.email, era: order.era)
        let code = RandomText.ofApple("c")
        var claims = person.seen(by: view).claims(now: now)
        claims["c_hash"] = Self.halfHash(of: code)
        claims["auth_time"] = .integer(now)
        claims["nonce"] = order.nonce.map(JSONValue.string)
        if let subject = order.transferSubject { claims["transfer_sub"] = .string(subject) }
        var body: JSONObject = [
            "identityToken": .string(sign(claims.replacing(order.claims), header: order.header)),
            "authorizationCode": .string(code),
            "userIdentifier": .string(order.claims["sub"]?.string ?? view.subject(of: subject)),
        ]
        body["nonce"] = order.nonce.map(JSONValue.string)
        if order.givenName != nil || order.familyName != nil {
            body["fullName"] = .object([
                "givenName": order.givenName.map(JSONValue.string) ?? .null,
                "familyName": order.familyName.map(JSONValue.string) ?? .null,
            ])
        }
        return MintedLogin(body: body, code: code, person: person, authenticatedAt: now)
    }

    /// The identity token of a user of the page, or of an answer of `/auth/token`.
    ///
    /// - Parameters:
    ///   - hash: of what comes beside the token: of the code, or of the access token.
    ///   - authenticatedAt: nil when a refresh token is exchanged: the user does not authenticate then.
    ///   - web: for a code of the page, whose request had the nonce.
    func token(
        for person: Person, hash: (name: String, of: String), authenticatedAt: Int64?, web: WebCode?, now: Int64
    ) -> String {
        var claims = person.claims(now: now)
        claims[hash.name] = Self.halfHash(of: hash.of)
        claims["auth_time"] = authenticatedAt.map(JSONValue.integer)
        claims["nonce"] = web?.nonce.map(JSONValue.string)
        return sign(claims.replacing(web?.changes.claims ?? [:]), header: web?.changes.header ?? [:])
    }
}

/// A user's Apple account, as one app sees it.
struct Person: Sendable, Equatable {
    let subject: String
    let audience: String
    /// Nil if the user hides it.
    let email: String?
    let era: Era
    /// Whether tokens have the email, which a website has to ask for.
    var sharesEmail = true
    /// While the app is being transferred to the team that has the subject.
    var transferSubject: String?

    /// The email that the app gets.
    var address: String { email ?? Self.relayAddress(of: subject) }

    /// The claims that every identity token of the user has.
    func claims(now: Int64) -> JSONObject {
        var claims: JSONObject = [
            "iss": "https://appleid.apple.com", "aud": .string(audience), "exp": .integer(now + era.lifetime),
            "iat": .integer(now), "sub": .string(subject),
        ]
        if sharesEmail {
            claims["email"] = .string(address)
            claims["email_verified"] = flag(true)
            // Apple omitted this claim when it was false, as long as flags were strings.
            if era == .booleans || email == nil { claims["is_private_email"] = flag(email == nil) }
        }
        claims["transfer_sub"] = transferSubject.map(JSONValue.string)
        if era == .words { claims["real_user_status"] = 2 }
        if era != .launch { claims["nonce_supported"] = true }
        return claims
    }

    /// The private relay address of a user: one of their own, and the same for each login.
    static func relayAddress(of subject: String) -> String {
        let characters = Array("abcdefghjkmnpqrstvwxyz0123456789")
        let name = SHA256.hash(Array(subject.utf8)).prefix(relayNameLength).map { characters[Int($0) % 32] }
        return String(name) + "@privaterelay.appleid.com"
    }

    private static let relayNameLength = 10

    private func flag(_ value: Bool) -> JSONValue {
        era == .booleans ? .bool(value) : .string(value ? "true" : "false")
    }
}

extension Person {
    var json: JSONObject {
        [
            "sub": .string(subject), "aud": .string(audience), "email": email.map(JSONValue.string) ?? .null,
            "era": .string(era.rawValue), "sharesEmail": .bool(sharesEmail),
        ]
    }

    /// Parses the output of `json`.
    init?(_ json: JSONObject) {
        guard let subject = json["sub"]?.string, let audience = json["aud"]?.string,
            let era = json["era"]?.string.flatMap(Era.init(rawValue:))
        else { return nil }
        // A file of before has no such member.
        let sharesEmail = json["sharesEmail"] != .bool(false)
        self.init(
            subject: subject, audience: audience, email: json["email"]?.string, era: era, sharesEmail: sharesEmail)
    }
}

/// The form of Apple's identity tokens in a period, named by its first year.
package enum Era: String, Sendable, CaseIterable {
    /// Valid for ten minutes, flags as strings, no `nonce_supported`.
    case launch = "2019"
    /// Valid for a day, flags as strings, with `real_user_status`.
    case words = "2021"
    /// Flags as booleans.
    case booleans = "2025"

    /// In seconds.
    var lifetime: Int64 { self == .launch ? 600 : 86_400 }
}
