import JSON
import OpenSSL

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
