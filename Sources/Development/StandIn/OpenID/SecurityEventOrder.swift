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

    /// Refuses unknown members, so that typing errors are found. A type may also be written as its whole address.
    init(_ json: JSONObject) throws(HTTPRefusal) {
        guard let type = json["type"]?.string, Self.types[type] != nil || type.hasPrefix("https://") else {
            throw Self.refusal("type")
        }
        self.type = type
        for (name, value) in json.members where name != "type" {
            guard takeText(name, value) || takeOther(name, value) else { throw Self.refusal(name) }
        }
    }

    private mutating func takeText(_ name: String, _ value: JSONValue) -> Bool {
        guard let text = value.string else { return false }
        switch name {
        case "sub": subject = text
        case "email": email = text
        case "token": token = text
        case "reason": reason = text
        case "state": state = text
        case "jti": identifier = text
        case "iss": issuer = text
        default: return false
        }
        return true
    }

    private mutating func takeOther(_ name: String, _ value: JSONValue) -> Bool {
        switch (name, value) {
        case ("aud", .string): audience = value
        case ("aud", .array(let list)) where list.allSatisfy({ $0.string != nil }): audience = value
        case ("claims", .object(let members)): claims = members
        case ("header", .object(let members)): header = members
        case ("subjectType", .string(let text)):
            subjectType = SubjectType(rawValue: text)
            return subjectType != nil
        default: return false
        }
        return true
    }

    private static func refusal(_ name: String) -> HTTPRefusal {
        .invalid(
            "\(name): needed is type (\(types.keys.sorted().joined(separator: ", ")), or an address); known are the "
                + "texts sub, subjectType (\(SubjectType.allCases.map(\.rawValue).joined(separator: ", "))), email, "
                + "token, reason, state, jti, iss, aud (a text or a list) and the objects claims, header")
    }

    /// The name of the event in the token.
    var address: String { (Self.types[type] ?? "") + type }

    var isVerification: Bool { type == "verification" }

    /// Google names a revoked token by its start, and everything else by the account.
    var chosenSubjectType: SubjectType {
        subjectType ?? (type == "token-revoked" && subject == nil ? .token : .issuerAndSubject)
    }
}
