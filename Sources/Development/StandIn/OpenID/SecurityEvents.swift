import DevelopmentHTTP
import JSON

/// A security event of Google's Cross-Account Protection: the body of `POST /openid/google/events/mint`.
struct SecurityEventOrder {
    /// The form in which an event names its subject.
    enum SubjectType: String, CaseIterable {
        case issuerAndSubject = "iss-sub"
        /// The claims of an identity token, with the email.
        case claims = "id_token_claims"
        /// The start of a refresh token.
        case token = "oauth_token"
    }

    private static let risc = "https://schemas.openid.net/secevent/risc/event-type/"
    private static let oauth = "https://schemas.openid.net/secevent/oauth/event-type/"

    private static let types = [
        "sessions-revoked": risc, "tokens-revoked": oauth, "token-revoked": oauth, "account-disabled": risc,
        "account-enabled": risc, "account-credential-change-required": risc, "verification": risc,
    ]

    let type: String
    var subject: String?
    var subjectType: SubjectType?
    var email: String?
    var token: String?
    var reason: String?
    var state: String?
    var identifier: String?
    /// A text or a list of texts.
    var audience: JSONValue?
    var issuer: String?
    /// Members that replace the usual ones; `null` removes one.
    var claims: JSONObject = [:]
    var header: JSONObject = [:]

    /// A type may also be written as its whole address.
    init(_ json: JSONObject) throws(HTTPRefusal) {
        var order = OrderReader(json)
        guard let type = order.text("type"), Self.types[type] != nil || type.hasPrefix("https://") else {
            throw .invalid("type: \(Self.known)")
        }
        self.type = type
        subject = order.text("sub")
        subjectType = order.choice("subjectType")
        email = order.text("email")
        token = order.text("token")
        reason = order.text("reason")
        state = order.text("state")
        identifier = order.text("jti")
        audience = order.texts("aud")
        issuer = order.text("iss")
        claims = order.object("claims") ?? [:]
        header = order.object("header") ?? [:]
        try order.end(Self.known)
    }

    private static let known =
        "needed is type (\(types.keys.sorted().joined(separator: ", ")), or an address); known are the texts sub, "
        + "subjectType (\(SubjectType.allCases.map(\.rawValue).joined(separator: ", "))), email, token, reason, state, "
        + "jti, iss, aud (a text or a list) and the objects claims, header"

    /// The name of the event in the token.
    var address: String { (Self.types[type] ?? "") + type }

    /// Google names a revoked token by its start, and everything else by the account.
    var chosenSubjectType: SubjectType {
        subjectType ?? (type == "token-revoked" && subject == nil ? .token : .issuerAndSubject)
    }
}

extension Mint {
    /// A security event token as Google signs it: RFC 8417.
    func event(_ order: SecurityEventOrder, issuer: String, now: Int64) -> String {
        // Google's documentation writes the issuer of events with a slash at its end, unlike that of identity tokens.
        let issuer = order.issuer ?? (issuer.hasSuffix("/") ? issuer : issuer + "/")
        let claims: JSONObject = [
            "iss": .string(issuer), "aud": order.audience ?? .string(Google.usualAudience),
            "iat": .integer(now), "jti": .string(order.identifier ?? RandomText.hexadecimal(16)),
            "events": .object(JSONObject([(order.address, .object(order.content(issuer)))])),
        ]
        return sign(claims.replacing(order.claims), type: "secevent+jwt", header: order.header)
    }
}

extension SecurityEventOrder {
    /// How much of a token the form `prefix` shows.
    private static let prefixLength = 16

    fileprivate func content(_ issuer: String) -> JSONObject {
        guard type != "verification" else { return ["state": .string(state ?? RandomText.hexadecimal(8))] }
        var content: JSONObject = ["subject": .object(subject(issuer))]
        content["reason"] = reason.map(JSONValue.string)
        content["state"] = state.map(JSONValue.string)
        return content
    }

    private func subject(_ issuer: String) -> JSONObject {
        let type = chosenSubjectType
        var json: JSONObject = ["subject_type": .string(type.rawValue)]
        guard type != .token else {
            json["token_type"] = "refresh_token"
            json["token_identifier_alg"] = "prefix"
            json["token"] = .string(String((token ?? RandomText.text(24)).prefix(Self.prefixLength)))
            return json
        }
        json["iss"] = .string(issuer)
        json["sub"] = .string(subject ?? "1" + RandomText.digits(20))
        if type == .claims { json["email"] = email.map(JSONValue.string) }
        return json
    }
}
